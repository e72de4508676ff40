#include <optional>
#include <utility>

#include "tree/edit.h"
#include "tree/edit_rollback.h"

// Names that go.
namespace packfs::tree {

/// Removes what is at a place, whatever it is, with all that is below.
Result<void> Edit::remove(Place& place) {
  const auto gone = weight(place);
  if (!gone) return std::unexpected(gone.error());
  if (auto looked = look_below(place); !looked) return looked;
  std::optional<Rollback> rollback;
  if (gone->linked_names != 0) {
    rollback.emplace(*this);
    if (auto dropped = drop_links_at(place); !dropped) return dropped;
  }
  if (auto prepared = prepare(place); !prepared) return prepared;
  take_away(place, {.entries = -gone->entries,
                    .bytes = -gone->bytes,
                    .linked_names = -gone->linked_names,
                    .subdirectories = -gone->subdirectories,
                    .names_changed = true,
                    .released = gone->released});
  if (rollback) rollback->keep();
  return {};
}

/// The names at a place that goes, and below it, are names of linked inodes no more.
Result<void> Edit::drop_links_at(const Place& place) {
  if (place.node.type == FileType::directory) return drop_links_below(place.node);
  const auto id = link_id(place);
  if (!id) return std::unexpected(id.error());
  if (auto ensured = ensure_link(place.node, *id); !ensured) return ensured;
  return drop_links(*id, 1);
}

Result<void> Edit::unlink(std::string_view path) {
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->node.type == FileType::directory) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (place->slash) return std::unexpected(Error(ErrorCode::not_a_directory));
  return remove(*place);
}

Result<void> Edit::remove_directory(std::string_view path) {
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->is_root) return std::unexpected(Error(ErrorCode::busy));
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->node.type != FileType::directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  const auto empty = is_empty(place->node);
  if (!empty) return std::unexpected(empty.error());
  if (!*empty) return std::unexpected(Error(ErrorCode::not_empty));
  return remove(*place);
}

/// By its entries, where the sums say so: of clones of clones those can begin anew, and those of a lower are only said.
Result<bool> Edit::is_empty(const Node& directory) const {
  const auto sums = stored_totals(table_, directory);
  if (!sums) return std::unexpected(sums.error());
  if (sums->entries != 0) return false;
  if (directory.layer == 0) {
    const DirectoryBody& body = StateTable::dentry_of(directory).directory();
    if (body.treap == nullptr && body.lower.type == FileType::none) return true;
  }
  const auto cursor = table_.list(directory, "");
  if (!cursor) return std::unexpected(cursor.error());
  Entry entry;
  const auto count = (*cursor)->next({&entry, 1});
  if (!count) return std::unexpected(count.error());
  return *count == 0;
}

Result<void> Edit::remove_tree(std::string_view path) {
  auto place = locate(path, Last::name);
  if (!place) return std::unexpected(std::move(place.error()));
  if (place->is_root) return std::unexpected(Error(ErrorCode::busy));
  if (!place->found) return std::unexpected(Error(ErrorCode::no_entry));
  if (place->slash && place->node.type != FileType::directory) {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  return remove(*place);
}

}  // namespace packfs::tree
