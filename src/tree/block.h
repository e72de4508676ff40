#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tree/dentry.h"

namespace packfs::tree {

class Owner;

/// Dentries sorted by name, many. After the struct: `room()` prints (one byte of the name's hash each), as many
/// pointers, as many prefixes (the eight bytes of the name behind the first `common`, big-endian, zeros behind its
/// end). Counts its dentries once for each time it holds them.
struct BlockBase : Part {
  std::uint16_t count = 0;
  std::uint8_t room_in_eights = 0;
  std::uint8_t common = 0;  ///< leading bytes that all names share

  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t room) noexcept {
    return sizeof(BlockBase) + (room + 7) / 8 * 8 * 17;
  }
  [[nodiscard]] std::size_t room() const noexcept { return room_in_eights * std::size_t{8}; }
  [[nodiscard]] std::uint8_t* prints() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
  [[nodiscard]] const std::uint8_t* prints() const noexcept { return reinterpret_cast<const std::uint8_t*>(this + 1); }
  [[nodiscard]] Dentry** entries() noexcept { return reinterpret_cast<Dentry**>(prints() + room()); }
  [[nodiscard]] Dentry* const* entries() const noexcept { return const_cast<BlockBase*>(this)->entries(); }
  [[nodiscard]] std::uint64_t* prefixes() noexcept { return reinterpret_cast<std::uint64_t*>(entries() + room()); }
  [[nodiscard]] const std::uint64_t* prefixes() const noexcept { return const_cast<BlockBase*>(this)->prefixes(); }
};
static_assert(sizeof(BlockBase) == 16);

/// Up to eight changes to a base, sorted by name.
struct BlockChanges : Part {
  static constexpr std::size_t kMost = 8;

  std::uint8_t count = 0;                    ///< never 0 in a block
  std::array<std::uint8_t, kMost> prints{};  ///< one byte of the names' hashes
  std::array<std::uint16_t, kMost> at{};     ///< position in base * 2, + 1 when it stands for the entry there
  std::array<Dentry*, kMost> entries{};      ///< counted; null: the base's entry is removed
};

/// The entries of one treap node: a base that is shared and the changes to it. So changing it touches eight dentries at
/// most, however many it holds.
struct Block {
  static constexpr std::size_t kMaxEntries = 1900;  ///< a BlockBase that fits the heap

  BlockBase* base = nullptr;        ///< counted; null when it has no entries
  BlockChanges* changes = nullptr;  ///< counted; null when there are none

  [[nodiscard]] std::size_t entry_count() const noexcept;
  /// Whether both are the same parts, which hold the same.
  friend bool operator==(const Block&, const Block&) = default;
};

/// One step through a Block in order.
class BlockCursor {
 public:
  BlockCursor() = default;
  explicit BlockCursor(const Block& block) noexcept : block_(block) {}
  /// From the first name not below `from` on.
  BlockCursor(const Block& block, std::string_view from) noexcept;
  /// The next entry, whiteouts included; null at the end.
  [[nodiscard]] Dentry* next() noexcept {
    const BlockChanges* const changes = block_.changes;
    for (;;) {
      if (changes != nullptr && change_ < changes->count && changes->at[change_] / 2 == position_) {
        const std::size_t i = change_++;
        if ((changes->at[i] & 1) != 0) ++position_;
        if (changes->entries[i] != nullptr) return changes->entries[i];
        continue;
      }
      if (block_.base == nullptr || position_ >= block_.base->count) return nullptr;
      return block_.base->entries()[position_++];
    }
  }

 private:
  Block block_;
  std::size_t change_ = 0;
  std::size_t position_ = 0;
};

/// One byte of the hash of a name, another than the treap's borders and priorities are made of.
[[nodiscard]] inline std::uint8_t print_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint8_t>(hash >> 24);
}

/// Asks for the cache lines that find_in_block() looks at first.
inline void prefetch(const Block& block) noexcept {
  __builtin_prefetch(block.changes);
  if (block.base == nullptr) return;
  const auto* const base = reinterpret_cast<const std::byte*>(block.base);
  for (std::size_t i = 0; i < 320; i += 64) __builtin_prefetch(base + i);
}

/// The entry of that name, whiteouts included; null when there is none.
[[nodiscard]] const Dentry* find_in_block(const Block& block, std::string_view name, std::uint64_t hash) noexcept;

/// What a new base with all entries of the block and some more takes of the heap at most.
[[nodiscard]] std::size_t block_copy_bytes(const Block& block) noexcept;

// Edits of a block in a node that `owner` owns. Those that take a dentry take over one reference to it.

/// Adds the entry or puts it in the place of the one of its name, whose reference is let go.
void put_in_block(Owner& owner, Block& block, Dentry* entry, std::uint64_t hash) noexcept;
/// The entry of that name, which is there, made the owner's own: to be changed in place, a directory by so much churn.
[[nodiscard]] Dentry* own_in_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash,
                                   std::uint64_t churn) noexcept;
/// Removes the entry of that name, which is there.
void remove_from_block(Owner& owner, Block& block, std::string_view name, std::uint64_t hash) noexcept;
/// Moves the entries from the first name not below `from` on into a new block.
[[nodiscard]] Block split_block(Owner& owner, Block& block, std::string_view from) noexcept;
/// Adds the entries of `tail`, all of which come behind the block's own; takes over its references.
void append_block(Owner& owner, Block& block, const Block& tail) noexcept;

}  // namespace packfs::tree
