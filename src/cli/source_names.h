#pragma once

#include <string>
#include <vector>

#include "base/io.h"
#include "packfs/error.h"

namespace packfs::cli {

/// The sources of a pack, ready for import. One source stays as it is. Of several each goes in under its base name: one
/// whose last component is "." or ".." (or which is only slashes) is replaced by the path it resolves to.
/// Errors: invalid (no base name: the filesystem's root, or an empty path), exists (two base names alike); with the
/// path and a note. An errno of open.
[[nodiscard]] Result<std::vector<std::string>> named_sources(base::Io& io, const std::vector<std::string>& sources);

}  // namespace packfs::cli
