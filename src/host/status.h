#pragma once

#include <cstdint>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// Which file it is, whatever its name, as long as it exists.
struct FileIdentity {
  std::uint64_t device = 0;  ///< major * 2^32 + minor
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// What a name in a directory stands for; a symlink is not followed, an automount not triggered.
[[nodiscard]] Result<struct statx> status_at(base::Io& io, int directory, const char* name);
[[nodiscard]] Result<struct statx> status_of(base::Io& io, int fd);

[[nodiscard]] FileIdentity identity_of(const struct statx& status) noexcept;
[[nodiscard]] FileType type_of(const struct statx& status) noexcept;
/// Mode, owner and modification time; no extended attributes.
[[nodiscard]] Attributes attributes_of(const struct statx& status);
/// Whether nothing shows that content or attributes changed between two looks at one file. The kernel's clock may be as
/// coarse as 4 ms, so a write that keeps the size can go unseen within that time.
[[nodiscard]] bool unchanged(const struct statx& before, const struct statx& after) noexcept;

}  // namespace packfs::host
