#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tree/dentry.h"

namespace packfs::tree {

class Owner;

/// Dentries sorted by name, many. After the struct: `capacity` prints (one byte of the name's hash each, rounded up to
/// 8), `capacity` pointers, `capacity` prefixes (the eight bytes of the name behind the first `common`, big-endian,
/// zeros behind its end). Counts its dentries once for each time it holds them.
struct BlockBase : Part {
  std::uint16_t count = 0;
  std::uint16_t capacity = 0;
  std::uint16_t common = 0;  ///< leading bytes that all names share
  std::uint16_t reserved = 0;

  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t capacity) noexcept {
    return sizeof(BlockBase) + (capacity + 7) / 8 * 8 + capacity * 16;
  }
  [[nodiscard]] std::uint8_t* prints() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
  [[nodiscard]] const std::uint8_t* prints() const noexcept { return reinterpret_cast<const std::uint8_t*>(this + 1); }
  [[nodiscard]] Dentry** entries() noexcept {
    return reinterpret_cast<Dentry**>(prints() + (std::size_t{capacity} + 7) / 8 * 8);
  }
  [[nodiscard]] Dentry* const* entries() const noexcept { return const_cast<BlockBase*>(this)->entries(); }
  [[nodiscard]] std::uint64_t* prefixes() noexcept { return reinterpret_cast<std::uint64_t*>(entries() + capacity); }
  [[nodiscard]] const std::uint64_t* prefixes() const noexcept { return const_cast<BlockBase*>(this)->prefixes(); }
};

/// The entries of one treap node: a shared base and up to eight changes to it, sorted by name. So copying it touches
/// eight dentries at most, however many it holds.
struct Block : Part {
  static constexpr std::size_t kMaxChanges = 8;
  static constexpr std::size_t kMaxEntries = 1900;  ///< a BlockBase that fits the heap

  std::uint8_t count = 0;                          ///< changes
  std::array<std::uint8_t, kMaxChanges> prints{};  ///< one byte of the names' hashes
  std::array<std::uint16_t, kMaxChanges> at{};     ///< position in base * 2, + 1 when it stands for the entry there
  BlockBase* base = nullptr;                       ///< counted; null when empty
  std::array<Dentry*, kMaxChanges> entries{};      ///< counted; null: the base's entry is removed

  [[nodiscard]] std::size_t entry_count() const noexcept;
};

/// One step through a Block in order.
class BlockCursor {
 public:
  BlockCursor() = default;
  explicit BlockCursor(const Block& block) noexcept : block_(&block) {}
  /// From the first name not below `from` on.
  BlockCursor(const Block& block, std::string_view from) noexcept;
  /// The next entry, whiteouts included; null at the end.
  [[nodiscard]] Dentry* next() noexcept {
    for (;;) {
      if (change_ < block_->count && block_->at[change_] / 2 == position_) {
        const std::size_t i = change_++;
        if ((block_->at[i] & 1) != 0) ++position_;
        if (block_->entries[i] != nullptr) return block_->entries[i];
        continue;
      }
      if (block_->base == nullptr || position_ >= block_->base->count) return nullptr;
      return block_->base->entries()[position_++];
    }
  }

 private:
  const Block* block_ = nullptr;
  std::size_t change_ = 0;
  std::size_t position_ = 0;
};

/// One byte of the hash of a name, another than the treap's borders and priorities are made of.
[[nodiscard]] inline std::uint8_t print_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint8_t>(hash >> 24);
}

/// The entry of that name, whiteouts included; null when there is none.
[[nodiscard]] const Dentry* find_in_block(const Block& block, std::string_view name, std::uint64_t hash) noexcept;

/// What a new base with all entries of the block and some more takes of the heap at most.
[[nodiscard]] std::size_t block_copy_bytes(const Block& block) noexcept;

// Edits of a block that `owner` owns. Those that take a dentry take over one reference to it.

/// Adds the entry or puts it in the place of the one of its name, whose reference is let go.
void put_in_block(Owner& owner, Block& block, Dentry* entry, std::uint64_t hash) noexcept;
/// Removes the entry of that name, which is there.
void remove_from_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash) noexcept;
/// Moves the entries from the first name not below `from` on into a new block.
[[nodiscard]] Block* split_block(Owner& owner, Block& block, std::string_view from) noexcept;
/// Adds the entries of `tail`, all of which come behind the block's own; the tail's reference is let go.
void append_block(Owner& owner, Block& block, Block* tail) noexcept;

}  // namespace packfs::tree
