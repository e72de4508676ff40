#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/alloc.h"
#include "pack/item_arena.h"

namespace packfs::pack {

/// A hash set of entries by (directory, name): open addressing, one slot of 8 bytes each, at most three quarters full.
/// Borrows the arena the entries are in. One thread at a time.
class NameSet {
 public:
  /// A seed that nobody can foresee keeps whoever chooses the names from choosing where they collide.
  NameSet(const ItemArena& arena, std::uint64_t seed) noexcept : arena_(arena), seed_(seed) {}

  /// Makes room for `count` entries in all. Throws std::bad_alloc.
  void reserve(std::uint64_t count);
  /// Adds an entry that is not in it. Throws std::bad_alloc, having added nothing.
  void insert(ItemRef ref);
  [[nodiscard]] std::optional<ItemRef> find(std::uint64_t directory, std::string_view name) const noexcept;

 private:
  void place(std::uint64_t hash, ItemRef ref) noexcept;
  void grow(std::uint64_t slots);

  const ItemArena& arena_;
  std::uint64_t seed_;
  std::vector<std::uint64_t, base::Allocator<std::uint64_t>> slots_;  // 0, or 24 bits of the hash, then the ref plus 1
  std::uint64_t count_ = 0;
};

}  // namespace packfs::pack
