#include <utility>

#include "tree/edit.h"
#include "tree/edit_rollback.h"

// Names that move, and subtrees that are shared.
namespace packfs::tree {
// Chains hold no symlinks, so that equal names lead to equal directories.

/// Whether the entry at `upper` is a directory on the way to `lower`.
bool Edit::is_above(const Place& upper, const Place& lower) noexcept {
  if (upper.node.type != FileType::directory || lower.chain.size() <= upper.chain.size()) return false;
  for (std::size_t i = 1; i < upper.chain.size(); ++i) {
    if (upper.chain[i].name != lower.chain[i].name) return false;
  }
  return lower.chain[upper.chain.size()].name == upper.name;
}

bool Edit::is_same(const Place& a, const Place& b) noexcept {
  if (a.chain.size() != b.chain.size() || a.name != b.name) return false;
  for (std::size_t i = 1; i < a.chain.size(); ++i) {
    if (a.chain[i].name != b.chain[i].name) return false;
  }
  return true;
}

/// What rename(2) refuses, in the order in which Linux does. Nothing when there is nothing to do either.
Result<bool> Edit::may_rename(const Place& from, const Place& to, RenameMode mode) const {
  const bool exchanged = mode == RenameMode::exchange;
  if (from.is_root) return std::unexpected(Error(ErrorCode::busy));
  if (to.is_root) {
    return std::unexpected(Error(mode == RenameMode::no_replace ? ErrorCode::exists : ErrorCode::busy));
  }
  if (!from.found) return std::unexpected(Error(ErrorCode::no_entry));
  if (mode == RenameMode::no_replace && to.found) return std::unexpected(Error(ErrorCode::exists));
  const bool from_directory = from.node.type == FileType::directory;
  const bool to_directory = to.found && to.node.type == FileType::directory;
  if (exchanged) {
    if (!to.found) return std::unexpected(Error(ErrorCode::no_entry));
    if (to.slash && !to_directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  if (!from_directory && (from.slash || (!exchanged && to.slash))) {
    return std::unexpected(Error(ErrorCode::not_a_directory));
  }
  if (is_above(from, to)) return std::unexpected(Error(ErrorCode::invalid));
  if (to.found && is_above(to, from)) {
    return std::unexpected(Error(exchanged ? ErrorCode::invalid : ErrorCode::not_empty));
  }
  if (!to.found) return true;
  if (is_same(from, to)) return false;
  const auto from_id = link_id(from);
  if (!from_id) return std::unexpected(from_id.error());
  const auto to_id = link_id(to);
  if (!to_id) return std::unexpected(to_id.error());
  if (*from_id != 0 && *from_id == *to_id) return false;
  if (exchanged) return true;
  if (from_directory && !to_directory) return std::unexpected(Error(ErrorCode::not_a_directory));
  if (!from_directory && to_directory) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (to_directory) {
    const auto empty = is_empty(to.node);
    if (!empty) return std::unexpected(empty.error());
    if (!*empty) return std::unexpected(Error(ErrorCode::not_empty));
  }
  return true;
}

Result<void> Edit::rename(std::string_view from, std::string_view to, RenameMode mode) {
  auto source = locate(from, Last::name);
  if (!source) return std::unexpected(std::move(source.error()));
  auto target = locate(to, Last::name);
  if (!target) return std::unexpected(std::move(target.error()));
  const auto needed = may_rename(*source, *target, mode);
  if (!needed) return std::unexpected(needed.error());
  if (!*needed) return {};
  Rollback rollback(*this);
  if (mode == RenameMode::exchange) {
    if (auto exchanged = exchange(*source, *target); !exchanged) return exchanged;
  } else {
    if (target->found) {
      if (auto removed = remove(*target); !removed) return removed;
      // Both were found before that changed what they share.
      auto left = again(*source);
      if (!left) return std::unexpected(std::move(left.error()));
      auto freed = again(*target);
      if (!freed) return std::unexpected(std::move(freed.error()));
      if (auto moved = move(*left, *freed); !moved) return moved;
    } else if (auto moved = move(*source, *target); !moved) {
      return moved;
    }
  }
  rollback.keep();
  return {};
}

/// The family of what is made in the directory that holds a place. A directory of the lower, or one that is shared with
/// an origin, has none of its own: there it is that of the nearest one above that has.
std::uint64_t Edit::family_at(const Place& place) noexcept {
  std::uint64_t family = 0;
  for (std::size_t i = 0; i < place.chain.size(); ++i) {
    const Node& node = place.chain[i].node;
    if (node.layer != 0) continue;
    const Dentry& directory = StateTable::dentry_of(node);
    if (i == 0 || directory.family == family) family = directory.directory().children_family;
  }
  return family;
}

/// The entry leaves a directory: if it was shared with a clone's origin, it takes a number of its own.
void Edit::detach_family(Dentry& entry, const Place& place) noexcept {
  if (entry.is_linked) return;
  const std::uint64_t family = family_at(place);
  if (entry.family == family && !entry.shares_number) return;
  if (entry.type == FileType::directory && entry.family != family) entry.directory().children_family = family;
  entry.inode = numbers_.inode++;
  entry.shares_number = false;
}

Result<void> Edit::move(Place& from, Place& to) {
  if (!reserve({&from, &to}, 0)) return std::unexpected(Error(ErrorCode::no_memory));
  const auto moved = weight(from);
  if (!moved) return std::unexpected(moved.error());
  if (auto looked = look_below(from); !looked) return looked;
  for (Place* place : {&from, &to}) {
    if (auto prepared = prepare(*place); !prepared) return prepared;
  }
  const auto entry = name_copy(from, to.name);
  if (!entry) return std::unexpected(entry.error());
  if (!reserve({&from, &to}, 0)) {
    owner_.heap().let_go(*entry);
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  detach_family(**entry, from);
  stamp_moved(**entry);
  Delta gone{.entries = -moved->entries,
             .bytes = -moved->bytes,
             .linked_names = -moved->linked_names,
             .subdirectories = -moved->subdirectories,
             .names_changed = true,
             .released = moved->released};
  take_away(from, gone);
  arrive(to, *entry, *moved);
  return {};
}

/// Puts an entry that has left its place into another.
void Edit::arrive(Place& place, Dentry* entry, const Delta& delta) noexcept {
  Dentry* const parent = own_chain(place, delta);
  if (!entry->is_linked) entry->family = parent->directory().children_family;
  put_in_treap(owner_, parent->directory().treap, entry, place.hash);
}

void Edit::stamp_moved(Dentry& entry) const noexcept {
  if (entry.is_linked) return;
  entry.ctime = stamp_.now.seconds;
  entry.ctime_ns = stamp_.now.nanoseconds;
  entry.change_commit = stamp_.commit;
}

Result<void> Edit::exchange(Place& from, Place& to) {
  if (!reserve({&from, &to}, 0)) return std::unexpected(Error(ErrorCode::no_memory));
  const auto left = weight(from);
  if (!left) return std::unexpected(left.error());
  const auto right = weight(to);
  if (!right) return std::unexpected(right.error());
  for (Place* place : {&from, &to}) {
    if (auto prepared = prepare(*place); !prepared) return prepared;
  }
  const auto made = name_copy(from, to.name);
  if (!made) return std::unexpected(made.error());
  Holder forth(owner_.heap(), *made);
  const auto back = name_copy(to, from.name);
  if (!back) return std::unexpected(back.error());
  if (!reserve({&from, &to}, 0)) {
    owner_.heap().let_go(*back);
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  detach_family(*forth.get(), from);
  detach_family(**back, to);
  stamp_moved(*forth.get());
  stamp_moved(**back);
  const std::uint64_t released = left->released + right->released + left->bytes + right->bytes;
  const Delta change{.entries = right->entries - left->entries,
                     .bytes = right->bytes - left->bytes,
                     .linked_names = right->linked_names - left->linked_names,
                     .subdirectories = right->subdirectories - left->subdirectories,
                     .names_changed = true,
                     .released = released};
  const Delta reverse{.entries = -change.entries,
                      .bytes = -change.bytes,
                      .linked_names = -change.linked_names,
                      .subdirectories = -change.subdirectories,
                      .names_changed = true,
                      .released = released};
  arrive(from, *back, change);
  arrive(to, forth.release(), reverse);
  return {};
}

Result<void> Edit::clone(std::string_view from, std::string_view to) {
  auto source = locate(from, Last::name);
  if (!source) return std::unexpected(std::move(source.error()));
  auto target = locate(to, Last::name);
  if (!target) return std::unexpected(std::move(target.error()));
  if (target->is_root || (source->found && target->found)) return std::unexpected(Error(ErrorCode::exists));
  if (!source->found) return std::unexpected(Error(ErrorCode::no_entry));
  const bool is_directory = source->node.type == FileType::directory;
  if (!is_directory && (source->slash || target->slash)) return std::unexpected(Error(ErrorCode::not_a_directory));
  if (source->is_root || is_above(*source, *target)) return std::unexpected(Error(ErrorCode::invalid));

  Rollback rollback(*this);
  if (!reserve({&*source, &*target}, 0)) return std::unexpected(Error(ErrorCode::no_memory));
  auto added = weight(*source);
  if (!added) return std::unexpected(std::move(added.error()));
  if (auto prepared = prepare(*target, 2 * edit_bytes()); !prepared) return prepared;
  const auto id = link_id(*source);
  if (!id) return std::unexpected(id.error());
  Dentry* copy = nullptr;
  if (*id != 0) {
    // One name of several: the copy has an inode of its own.
    if (auto ensured = ensure_link(source->node, *id); !ensured) return ensured;
    copy = owner_.copy_dentry(*table_.find_link(*id), target->name);
    copy->is_linked = false;
    copy->inode = numbers_.inode++;
    added->linked_names = 0;
    added->bytes = copy->type == FileType::regular ? copy->size : 0;
  } else {
    const auto shared = name_copy(*source, target->name);
    if (!shared) return std::unexpected(shared.error());
    copy = *shared;
  }
  if (*id == 0) {
    copy->shares_number = true;
    if (is_directory) copy->directory().children_family = numbers_.family++;
  }
  arrive(*target, copy, *added);
  renew_owner();  // both sides share what this edit made
  if (is_directory && added->linked_names != 0) {
    if (auto apart = move_links_apart(*source, *target); !apart) return apart;
  }
  rollback.keep();
  return {};
}

}  // namespace packfs::tree
