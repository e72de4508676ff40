#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "packfs/node.h"
#include "packfs/types.h"
#include "packfs/view.h"

namespace packfs::cli {

/// What is shown of one entry.
struct Details {
  std::string path;
  Stat stat;
  std::string target;                        ///< of a symlink
  std::optional<std::vector<Xattr>> xattrs;  ///< only where they were asked for
};

/// Details without extended attributes: of `node` (errors: corrupt; an errno from the host), or of the entry at `path`
/// itself (errors: those of View::lstat()).
[[nodiscard]] Result<Details> read_details(const tree::Table& table, const Node& node, std::string path);
[[nodiscard]] Result<Details> read_details(const View& view, const std::string& path);

}  // namespace packfs::cli
