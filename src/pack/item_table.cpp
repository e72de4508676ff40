#include "pack/item_table.h"

#include <algorithm>
#include <utility>

namespace packfs::pack {

void ItemTable::add_root(const Item& root) {
  directories_.emplace_back();
  directories_.back().self = arena_.add(root);
}

bool ItemTable::in_row(const Directory& directory, std::string_view name) const {
  const auto begin = arrival_.begin() + static_cast<std::ptrdiff_t>(directory.row_begin);
  const auto end = arrival_.begin() + static_cast<std::ptrdiff_t>(directory.row_end);
  if (begin == end || arena_.name(end[-1]) < name) return false;
  const auto found =
      std::lower_bound(begin, end, name, [this](ItemRef ref, std::string_view key) { return arena_.name(ref) < key; });
  return found != end && arena_.name(*found) == name;
}

bool ItemTable::contains(std::uint64_t directory, std::string_view name) {
  const Directory& in = directories_[directory];
  if (in.entries == 0) return false;
  if (!names_) {
    if (in_row(in, name)) return true;
    if (!in.greatest || arena_.name(*in.greatest) < name) return false;
  }
  return find(directory, name).has_value();
}

std::optional<ItemRef> ItemTable::find(std::uint64_t directory, std::string_view name) {
  if (!names_) {
    NameSet names(arena_, seed_);
    names.reserve(arrival_.size());
    for (const ItemRef ref : arrival_) names.insert(ref);
    names_.emplace(std::move(names));
  }
  return names_->find(directory, name);
}

std::optional<std::uint64_t> ItemTable::find_directory(std::uint64_t directory, std::string_view name) {
  if (!directory_names_) {
    NameSet names(arena_, seed_);
    names.reserve(directories_.size());
    for (const Directory& each : std::span(directories_).subspan(1)) names.insert(each.self);
    directory_names_.emplace(std::move(names));
  }
  const auto found = directory_names_->find(directory, name);
  if (!found) return std::nullopt;
  return arena_.get(*found).location;
}

// What may throw comes first, so that nothing is half added.
ItemRef ItemTable::add(const Item& item) {
  const bool is_directory = item.type == FileType::directory;
  if (names_) names_->reserve(arrival_.size() + 1);
  if (directory_names_ && is_directory) directory_names_->reserve(directories_.size());
  if (is_directory) directories_.emplace_back();
  try {
    const ItemRef ref = arena_.add(item);
    arrival_.push_back(ref);
    if (is_directory) {
      directories_.back().parent = item.directory;
      directories_.back().self = ref;
      if (directory_names_) directory_names_->insert(ref);
    }
    if (names_) names_->insert(ref);
    note(ref, item);
    return ref;
  } catch (const std::bad_alloc&) {
    if (is_directory) directories_.pop_back();
    throw;
  }
}

void ItemTable::note(ItemRef ref, const Item& item) {
  Directory& in = directories_[item.directory];
  const std::uint64_t position = arrival_.size() - 1;
  if (in.entries == 0) {
    in.row_begin = position;
    in.row_end = position + 1;
  } else if (!in.greatest && in.row_end == position && arena_.name(arrival_[position - 1]) < item.name) {
    ++in.row_end;
  } else if (!in.greatest || arena_.name(*in.greatest) < item.name) {
    in.greatest = ref;
  }
  ++in.entries;
  if (item.type == FileType::directory) ++in.subdirectories;
  if (item.type == FileType::regular) in.bytes += item.size;
  if (item.link_id != 0) ++in.linked;
}

std::uint64_t ItemTable::link_id_for(ItemRef existing) const {
  const std::uint64_t known = get(existing).link_id;
  return known != 0 ? known : groups_.size() + 1;
}

void ItemTable::add_link(std::uint64_t directory, std::string_view name, ItemRef existing) {
  Item item = get(existing);
  const std::uint64_t first_directory = item.directory;
  const bool is_new = item.link_id == 0;
  item.link_id = link_id_for(existing);
  item.directory = directory;
  item.name = name;
  if (is_new) {
    groups_.push_back({.first = existing, .inode = item.inode, .names = 1});
    first_names_.emplace(static_cast<std::uint64_t>(existing), item.link_id);
  }
  add(item);
  ++groups_[item.link_id - 1].names;
  if (is_new) {
    arena_.mark(existing);
    ++directories_[first_directory].linked;
  }
}

// The first name of a group was encoded before the group was known: it is marked, and its id looked up.
Item ItemTable::get(ItemRef ref) const {
  Item item = arena_.get(ref);
  if (arena_.marked(ref)) item.link_id = first_names_.at(static_cast<std::uint64_t>(ref));
  return item;
}

std::vector<ItemRef, base::Allocator<ItemRef>> ItemTable::take_sorted() {
  names_.reset();
  directory_names_.reset();
  std::vector<ItemRef, base::Allocator<ItemRef>> sorted(arrival_.size());
  std::vector<std::uint64_t, base::Allocator<std::uint64_t>> next(directories_.size() + 1, 0);
  for (std::size_t i = 0; i < directories_.size(); ++i) next[i + 1] = next[i] + directories_[i].entries;
  for (const ItemRef ref : arrival_) sorted[next[arena_.directory(ref)]++] = ref;
  Row().swap(arrival_);

  // next[i] is now where the table of directory i ends.
  auto begin = sorted.begin();
  const auto by_name = [this](ItemRef a, ItemRef b) { return arena_.name(a) < arena_.name(b); };
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(next[i]);
    if (!std::is_sorted(begin, end, by_name)) std::sort(begin, end, by_name);
    begin = end;
  }
  return sorted;
}

}  // namespace packfs::pack
