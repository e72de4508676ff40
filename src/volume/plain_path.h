#pragma once

#include <string>
#include <string_view>

#include "packfs/error.h"
#include "packfs/view.h"

namespace packfs::volume {

/// The path without symlinks, from the tree's root, of the directory that `path` leads to in a view of that root; empty
/// for the root. Errors: those of View for paths.
[[nodiscard]] Result<std::string> plain_path(const View& tree, std::string_view path);

}  // namespace packfs::volume
