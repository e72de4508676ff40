#pragma once

#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "tree/table.h"

namespace packfs::tree {

/// Whether a symlink in the last place of a path is followed. One in any other place, or before a trailing '/', always
/// is.
enum class LastSymlink : bool { kept, followed };

inline constexpr int kMaxSymlinks = 40;  ///< followed in one resolution, as Linux does (path_resolution(7))

/// Finds what a caller's path names, from `start`, whose ancestors are `above` (null: it is the root). Symlinks resolve
/// inside the table: absolute targets begin at its root, ".." stops there. Without symlinks nothing is allocated.
/// Errors: those of packfs::View.
[[nodiscard]] Result<Node> resolve(const Table& table, const Node& start, const DirectoryChain* above,
                                   std::string_view path, LastSymlink last);

/// As resolve() for a directory, with its ancestors. Errors: also not_a_directory.
struct ResolvedDirectory {
  Node node;
  Ref<const DirectoryChain> above;
};
[[nodiscard]] Result<ResolvedDirectory> resolve_directory(const Table& table, const Node& start,
                                                          const DirectoryChain* above, std::string_view path);

}  // namespace packfs::tree
