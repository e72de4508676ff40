#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/alloc.h"
#include "pack/item.h"

namespace packfs::pack {

/// An entry in an ItemArena.
enum class ItemRef : std::uint64_t {};

/// Keeps entries in chunks of 1 MiB, encoded as they will stand in the index, until it goes. One thread at a time.
class ItemArena {
 public:
  static constexpr std::uint64_t kMaxDirectory = (std::uint64_t{1} << 31) - 1;

  /// Throws std::bad_alloc, having added nothing. `item.directory` is at most kMaxDirectory.
  ItemRef add(const Item& item);

  /// The entry; its name is valid as long as the arena.
  [[nodiscard]] Item get(ItemRef ref) const noexcept;
  [[nodiscard]] std::string_view name(ItemRef ref) const noexcept;
  [[nodiscard]] std::uint64_t directory(ItemRef ref) const noexcept;
  /// XXH3 of the name, as the hash section seeds it (docs/format.md section 4.3).
  [[nodiscard]] std::uint64_t hash(ItemRef ref, std::uint64_t seed) const noexcept;

  /// A mark on an entry, for the table's own use.
  void mark(ItemRef ref) noexcept;
  [[nodiscard]] bool marked(ItemRef ref) const noexcept;

 private:
  [[nodiscard]] std::byte* at(ItemRef ref) const noexcept;

  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  std::vector<base::Buffer> chunks_;
  std::size_t filled_ = kChunkBytes;  // of the last chunk
};

}  // namespace packfs::pack
