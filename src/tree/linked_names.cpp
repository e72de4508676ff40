#include "tree/linked_names.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tree/owner.h"

namespace packfs::tree {
namespace {

class Walk {
 public:
  Walk(const StateTable& table, const std::function<Result<void>(const LinkedName&)>& visit) noexcept
      : table_(table), visit_(visit) {}

  Result<void> run(const Node& directory) {
    if (auto entered = enter(directory); !entered) return entered;
    while (!cursors_.empty()) {
      Entry entry;
      const auto count = cursors_.back()->next({&entry, 1});
      if (!count) return std::unexpected(count.error());
      if (*count == 0) {
        cursors_.pop_back();
        if (!names_.empty()) names_.pop_back();
      } else if (entry.type() == FileType::directory) {
        names_.emplace_back(entry.name());
        if (auto entered = enter(entry.node()); !entered) return entered;
      } else if (auto visited = visit_file(entry); !visited) {
        return visited;
      }
    }
    return {};
  }

 private:
  Result<void> enter(const Node& directory) {
    const auto totals = stored_totals(table_, directory);
    if (!totals) return std::unexpected(totals.error());
    if (totals->linked_names == 0) {
      if (!names_.empty()) names_.pop_back();
      return {};
    }
    auto cursor = table_.list(directory, "");
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    cursors_.push_back(std::move(*cursor));
    return {};
  }

  Result<void> visit_file(const Entry& entry) {
    const auto id = link_id_of(table_, entry.node());
    if (!id) return std::unexpected(id.error());
    if (*id == 0) return {};
    return visit_({names_, entry.name(), *id, entry.node()});
  }

  const StateTable& table_;
  const std::function<Result<void>(const LinkedName&)>& visit_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<std::string> names_;
};

}  // namespace

Result<void> for_each_linked(const StateTable& table, const Node& directory,
                             const std::function<Result<void>(const LinkedName&)>& visit) {
  return Walk(table, visit).run(directory);
}

std::uint64_t stored_link_bytes(const StateTable& table, std::uint64_t link_id, std::uint64_t lower_bytes) noexcept {
  if (table.find_link(link_id) == nullptr) return lower_bytes;
  const LinkKey key(link_id);
  const Dentry* const lower = find_in_treap(table.state().links, key.lower_name(), table.heap().hash(key.lower_name()));
  return lower != nullptr ? lower->size : 0;
}

Result<std::uint64_t> link_id_of(const StateTable& table, const Node& node) {
  if (node.layer != 0) return table.lower_link_id(node);
  const Dentry& inode = StateTable::dentry_of(node);
  return inode.is_linked ? LinkKey::id_of(inode) : 0;
}

}  // namespace packfs::tree
