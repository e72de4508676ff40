#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tree/block.h"
#include "tree/name_key.h"

namespace packfs::tree {

class Owner;

/// A node of a directory's treap: a block of entries.
///
/// Invariants:
///  1. A name is a border when its seeded hash has kBorderBits zero bits at the low end. A node begins with a border,
///     its separator, and holds all names from there to the next border. Names before the first border are in the
///     headless node, whose separator is "".
///  2. In-order, separators ascend. A node's priority is at least that of its children; it is the high half of its
///     separator's hash, 0 for the headless one. Of equal priorities the lesser separator is on top.
///  3. No node is empty. So the shape follows from the set of names and the seed alone.
/// Entry i of the tree is in the block of the last node whose separator is not above it.
/// (Seidel, Aragon: Randomized Search Trees, 1996.)
struct TreapNode : Part {
  static constexpr std::uint64_t kBorderBits = 5;

  std::uint32_t priority = 0;
  NameKey separator;
  TreapNode* left = nullptr;   ///< counted
  TreapNode* right = nullptr;  ///< counted
  Block block;
};
static_assert(sizeof(TreapNode) == 64);

[[nodiscard]] constexpr bool is_border(std::uint64_t hash) noexcept {
  return (hash & ((std::uint64_t{1} << TreapNode::kBorderBits) - 1)) == 0;
}

/// The entry of that name, whiteouts included; null when there is none. `cost`, when not null, is increased by the
/// bytes that own_in_treap() of that name allocates at most.
[[nodiscard]] const Dentry* find_in_treap(const TreapNode* root, std::string_view name, std::uint64_t hash,
                                          std::size_t* cost = nullptr) noexcept;

/// Walks a treap's entries in order, whiteouts included. Borrows it. The stack grows with the treap's depth.
class TreapCursor {
 public:
  TreapCursor() = default;
  /// From the first name not below `from` on.
  TreapCursor(const TreapNode* root, std::string_view from);
  [[nodiscard]] Dentry* next();

 private:
  void descend(const TreapNode* node);
  std::vector<const TreapNode*> above_;
  BlockCursor block_;
  bool has_block_ = false;
};

// Edits. `root` is a reference that the caller holds, exchanged for one to what came of it. All memory was reserved.

/// Adds the entry or puts it in the place of the one of its name; takes over a reference to it.
void put_in_treap(Owner& owner, TreapNode*& root, Dentry* entry, std::uint64_t hash) noexcept;
/// Removes the entry of that name, which is there.
void remove_from_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash) noexcept;
/// The entry of that name, which is there, made the owner's own: to be changed in place, a directory by so much churn.
[[nodiscard]] Dentry* own_in_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash,
                                   std::uint64_t churn = 0) noexcept;

/// At most so many bytes does one of these edits allocate in a treap in which finding the name cost so much.
[[nodiscard]] std::size_t edit_bytes(std::size_t cost) noexcept;
/// The same without looking: for treaps of fewer than 10^9 names.
[[nodiscard]] std::size_t edit_bytes() noexcept;

}  // namespace packfs::tree
