#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "packfs/error.h"
#include "packfs/node.h"
#include "tree/state.h"

namespace packfs::tree {

/// A name, below some directory, of a file that has or had several.
struct LinkedName {
  std::span<const std::string> directories;  ///< names from that directory down to the one that holds it
  std::string_view name;
  std::uint64_t id = 0;
  Node node;  ///< the inode
};

/// Visits the linked names below a directory in order, passing over every subtree that has none. Errors: the table's,
/// and visit's, which ends it.
[[nodiscard]] Result<void> for_each_linked(const StateTable& table, const Node& directory,
                                           const std::function<Result<void>(const LinkedName&)>& visit);

/// What one name of that link counts for in the stored totals: the file's bytes in the lower; 0 when it has no name
/// there. `lower_bytes` is given back when the link is as the lower has it.
[[nodiscard]] std::uint64_t stored_link_bytes(const StateTable& table, std::uint64_t link_id,
                                              std::uint64_t lower_bytes) noexcept;

/// The link id of an inode of either layer; 0 when it is not linked.
[[nodiscard]] Result<std::uint64_t> link_id_of(const StateTable& table, const Node& node);

}  // namespace packfs::tree
