#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/alloc.h"
#include "pack/item_arena.h"
#include "pack/name_set.h"
#include "packfs/types.h"

namespace packfs::pack {

/// The entries of a pack that is being built, until its index is written: about 80 bytes and its name for each entry.
/// One thread at a time. May throw std::bad_alloc; what throws has changed nothing that can be seen.
///
/// A name that arrives in ascending order in its directory, or in one of two ascending rows as a tree's walk gives them
/// (first the entries that are not directories, then those that are), costs no lookup; the first one that does not
/// makes a hash set over all names.
class ItemTable {
 public:
  using Row = std::deque<ItemRef, base::Allocator<ItemRef>>;

  /// A directory as far as it is known.
  struct Directory {
    std::uint64_t parent = 0;
    ItemRef self{};
    std::uint64_t entries = 0;
    std::uint64_t subdirectories = 0;
    std::uint64_t bytes = 0;   ///< sizes of its regular files
    std::uint64_t linked = 0;  ///< its entries that have a link id
    // The entries arrival_[row_begin, row_end) are its own, in ascending order; `greatest` is the last of the others.
    std::uint64_t row_begin = 0;
    std::uint64_t row_end = 0;
    std::optional<ItemRef> greatest;
  };

  /// A group of names of one file; its link id is its position here plus 1.
  struct Group {
    ItemRef first{};
    std::uint64_t inode = 0;
    std::uint64_t names = 0;
  };

  /// `seed` only decides how names are found in memory: give one that nobody can foresee.
  explicit ItemTable(std::uint64_t seed) noexcept : seed_(seed) {}
  ItemTable(const ItemTable&) = delete;
  ItemTable& operator=(const ItemTable&) = delete;

  /// Adds the root's own entry, once, first of all: directory 0.
  void add_root(const Item& root);
  /// Adds an entry whose name contains() denies; for a directory, `item.location` is the number it gets.
  ItemRef add(const Item& item);
  /// Adds a further name for `existing`, an entry that is not a directory; both then have a link id.
  void add_link(std::uint64_t directory, std::string_view name, ItemRef existing);
  /// The link id that add_link(..., existing) gives.
  [[nodiscard]] std::uint64_t link_id_for(ItemRef existing) const;

  [[nodiscard]] bool contains(std::uint64_t directory, std::string_view name);
  /// An entry, or a subdirectory, by its name; the first call makes a hash set over all entries, or directories.
  [[nodiscard]] std::optional<ItemRef> find(std::uint64_t directory, std::string_view name);
  [[nodiscard]] std::optional<std::uint64_t> find_directory(std::uint64_t directory, std::string_view name);

  [[nodiscard]] const ItemArena& arena() const noexcept { return arena_; }
  [[nodiscard]] ItemRef root() const noexcept { return directories_.front().self; }
  [[nodiscard]] const std::vector<Directory, base::Allocator<Directory>>& directories() const noexcept {
    return directories_;
  }
  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  [[nodiscard]] std::uint64_t entries() const noexcept { return arrival_.size(); }
  /// An entry with all that is known of it now, its link id too.
  [[nodiscard]] Item get(ItemRef ref) const;

  /// All entries (the root's own is not among them) by directory number, then by name. Gives up the memory that only
  /// adding needs: nothing can be added or found afterwards.
  [[nodiscard]] std::vector<ItemRef, base::Allocator<ItemRef>> take_sorted();

 private:
  [[nodiscard]] bool in_row(const Directory& directory, std::string_view name) const;
  void note(ItemRef ref, const Item& item);

  std::uint64_t seed_;
  ItemArena arena_;
  Row arrival_;
  std::vector<Directory, base::Allocator<Directory>> directories_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_names_;  // of groups: its ref to its link id
  std::optional<NameSet> names_;
  std::optional<NameSet> directory_names_;
};

}  // namespace packfs::pack
