#pragma once

#include <optional>
#include <vector>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// Extended attributes as far as they could be read, ACLs (system.posix_acl_*) included.
struct HostXattrs {
  std::vector<Xattr> list;     ///< sorted by name
  std::optional<Error> error;  ///< the first failure: the list, or one named in the note
};

/// Of an open file or directory. A filesystem without extended attributes has none.
[[nodiscard]] HostXattrs read_xattrs(base::Io& io, int fd);
/// Of a name in a directory; a symlink has its own.
[[nodiscard]] HostXattrs read_xattrs_at(base::Io& io, int directory, const char* name);

}  // namespace packfs::host
