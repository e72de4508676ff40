#pragma once

#include <cstdint>
#include <vector>

#include "base/alloc.h"
#include "pack/format.h"
#include "pack/interned.h"
#include "pack/item_table.h"

namespace packfs::pack {

/// Places entries one after another in section 2 (docs/format.md section 4.2).
class EntryPlacer {
 public:
  /// Where the next entry, `bytes` long, begins.
  std::uint64_t place(std::size_t bytes) noexcept;
  /// Where the one placed last ends.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

 private:
  std::uint64_t end_ = 0;
};

/// Where everything of an index will be: what must be known before its first byte is written.
struct IndexLayout {
  using Order = std::vector<ItemRef, base::Allocator<ItemRef>>;
  using Elements = std::vector<DirectoryElement, base::Allocator<DirectoryElement>>;

  Order order;  ///< all entries but the root's own, by directory and name
  Elements directories;
  std::uint64_t entries_length = 0;
  Renumbering attribute_sets;
  Renumbering xattr_lists;
  std::vector<std::uint64_t> xattr_offsets;  ///< by old number, of those that are used
  std::uint64_t xattrs_length = 0;
};

/// Orders the entries and lays the index out. Throws std::bad_alloc.
[[nodiscard]] IndexLayout lay_out(ItemTable& items, const Interned& interned);

/// The entry as the index will hold it: numbers and offsets in place of those the table uses.
[[nodiscard]] Item final_item(const ItemTable& items, const IndexLayout& layout, ItemRef ref);

}  // namespace packfs::pack
