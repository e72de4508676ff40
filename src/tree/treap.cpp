#include "tree/treap.h"

#include <algorithm>

#include "tree/owner.h"

namespace packfs::tree {
namespace {

/// The whole separator: a border's block begins with it.
std::string_view separator_of(const TreapNode& node) noexcept {
  return node.separator.is_empty() ? std::string_view() : BlockCursor(node.block).next()->name();
}

/// A name that is compared with many separators.
struct Sought {
  explicit Sought(std::string_view sought) noexcept : name(sought), key(sought) {}
  /// Whether it stands before the node's first name.
  [[nodiscard]] bool is_before(const TreapNode& node) const noexcept {
    if (key.high != node.separator.high) return key.high < node.separator.high;
    if (key.low != node.separator.low || !key.is_cut()) return key.low < node.separator.low;
    return name < separator_of(node);
  }
  [[nodiscard]] bool is_separator_of(const TreapNode& node) const noexcept {
    return key == node.separator && (!key.is_cut() || name == separator_of(node));
  }

  std::string_view name;
  NameKey key;
};

/// The last node whose separator is not behind the name; null when all are. `visited` nodes were looked at.
const TreapNode* node_for(const TreapNode* root, const Sought& sought, std::size_t& visited) noexcept {
  const TreapNode* target = nullptr;
  for (const TreapNode* node = root; node != nullptr; ++visited) {
    if (sought.is_before(*node)) {
      node = node->left;
    } else {
      target = node;
      prefetch(node->block);
      node = node->right;
    }
  }
  return target;
}

std::uint32_t priority_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

/// Whether `a` belongs above `b` (invariant 2).
bool is_above(const TreapNode& a, const TreapNode& b) noexcept {
  if (a.priority != b.priority) return a.priority > b.priority;
  return Sought(separator_of(a)).is_before(b);
}

/// Edits one treap.
class TreapEdit {
 public:
  TreapEdit(Owner& owner, TreapNode*& root) noexcept : owner_(owner), root_(root) {}

  void put(Dentry* entry, std::uint64_t hash) noexcept {
    const Sought sought(entry->name());
    const bool border = is_border(hash);
    TreapNode** const slot = own_path(sought);
    if (slot == nullptr) {
      // Before all that is there.
      Block block;
      put_in_block(owner_, block, entry, hash);
      return add(border ? owner_.make_node(block, sought.name, priority_of(hash)) : owner_.make_node(block, {}, 0));
    }
    TreapNode& node = **slot;
    if (!border || sought.is_separator_of(node)) return put_in_block(owner_, node.block, entry, hash);
    Block tail = split_block(owner_, node.block, sought.name);
    put_in_block(owner_, tail, entry, hash);
    if (node.block.entry_count() == 0) remove_node(Sought({}));  // only the headless one can fall empty
    add(owner_.make_node(tail, sought.name, priority_of(hash)));
  }

  void remove(std::string_view name, std::uint64_t hash) noexcept {
    const Sought sought(name);
    TreapNode& node = **own_path(sought);
    if (!is_border(hash)) {
      remove_from_block(owner_, node.block, name, hash);
      if (node.block.entry_count() == 0) remove_node(Sought({}));  // only the headless one can fall empty
      return;
    }
    // What follows a border that goes belongs to the one before.
    Block rest = node.block;
    owner_.heap().share(rest.base);
    owner_.heap().share(rest.changes);
    remove_node(sought);
    remove_from_block(owner_, rest, name, hash);
    if (rest.entry_count() == 0) {
      owner_.heap().let_go(rest.base);
      owner_.heap().let_go(rest.changes);
      return;
    }
    TreapNode** const before = own_path(sought);
    if (before == nullptr) return add(owner_.make_node(rest, {}, 0));
    append_block(owner_, (*before)->block, rest);
  }

  Dentry* own_entry(std::string_view name, std::uint64_t hash, std::uint64_t churn) noexcept {
    return own_in_block(owner_, (*own_path(Sought(name)))->block, name, hash, churn);
  }

 private:
  /// Owns the nodes from the root to the one whose block has, or would have, the name; where that one is held. Null
  /// when the name stands before all.
  TreapNode** own_path(const Sought& sought) noexcept {
    std::size_t visited = 0;
    const TreapNode* const target = node_for(root_, sought, visited);
    if (target == nullptr) return nullptr;
    for (TreapNode** slot = &root_;;) {
      const bool found = *slot == target;
      *slot = owner_.own(*slot);
      if (found) return slot;
      slot = sought.is_before(**slot) ? &(*slot)->left : &(*slot)->right;
    }
  }

  /// Adds a node whose separator is not there.
  void add(TreapNode* fresh) noexcept {
    const Sought sought(separator_of(*fresh));
    TreapNode** slot = &root_;
    while (*slot != nullptr && is_above(**slot, *fresh)) {
      *slot = owner_.own(*slot);
      slot = sought.is_before(**slot) ? &(*slot)->left : &(*slot)->right;
    }
    split(*slot, sought, &fresh->left, &fresh->right);
    *slot = fresh;
  }

  /// Parts a treap into the nodes before the name and those behind it. Takes the reference to `node`.
  void split(TreapNode* node, const Sought& sought, TreapNode** before, TreapNode** behind) noexcept {
    while (node != nullptr) {
      node = owner_.own(node);
      if (sought.is_before(*node)) {
        *behind = node;
        behind = &node->left;
        node = node->left;
      } else {
        *before = node;
        before = &node->right;
        node = node->right;
      }
    }
    *before = nullptr;
    *behind = nullptr;
  }

  /// Removes the node with that separator and lets go of it.
  void remove_node(const Sought& separator) noexcept {
    TreapNode** slot = &root_;
    for (;;) {
      *slot = owner_.own(*slot);
      if (separator.is_separator_of(**slot)) break;
      slot = separator.is_before(**slot) ? &(*slot)->left : &(*slot)->right;
    }
    TreapNode* const gone = *slot;
    TreapNode* left = std::exchange(gone->left, nullptr);
    TreapNode* right = std::exchange(gone->right, nullptr);
    while (left != nullptr && right != nullptr) {
      if (is_above(*left, *right)) {
        *slot = left = owner_.own(left);
        slot = &left->right;
        left = left->right;
      } else {
        *slot = right = owner_.own(right);
        slot = &right->left;
        right = right->left;
      }
    }
    *slot = left != nullptr ? left : right;
    owner_.heap().let_go(gone);
  }

  Owner& owner_;
  TreapNode*& root_;
};

}  // namespace

const Dentry* find_in_treap(const TreapNode* root, std::string_view name, std::uint64_t hash,
                            std::size_t* cost) noexcept {
  std::size_t visited = 0;
  const TreapNode* const target = node_for(root, Sought(name), visited);
  if (cost != nullptr) {
    *cost += visited * sizeof(TreapNode) + 2 * sizeof(BlockChanges);
    if (target != nullptr) *cost += block_copy_bytes(target->block);
  }
  return target != nullptr ? find_in_block(target->block, name, hash) : nullptr;
}

TreapCursor::TreapCursor(const TreapNode* root, std::string_view from) {
  const Sought sought(from);
  const TreapNode* start = nullptr;
  for (const TreapNode* node = root; node != nullptr;) {
    if (sought.is_before(*node)) {
      above_.push_back(node);
      node = node->left;
    } else {
      start = node;
      node = node->right;
    }
  }
  // Of the nodes above the start, those behind it that were passed before it are still due; those passed after it too,
  // since they lie between it and them.
  if (start == nullptr) return;
  block_ = BlockCursor(start->block, from);
  has_block_ = true;
}

void TreapCursor::descend(const TreapNode* node) {
  for (; node != nullptr; node = node->left) above_.push_back(node);
}

Dentry* TreapCursor::next() {
  for (;;) {
    if (has_block_) {
      if (Dentry* const entry = block_.next()) return entry;
      has_block_ = false;
    }
    if (above_.empty()) return nullptr;
    const TreapNode* const node = above_.back();
    above_.pop_back();
    descend(node->right);
    block_ = BlockCursor(node->block);
    has_block_ = true;
  }
}

void put_in_treap(Owner& owner, TreapNode*& root, Dentry* entry, std::uint64_t hash) noexcept {
  TreapEdit(owner, root).put(entry, hash);
}

void remove_from_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash) noexcept {
  TreapEdit(owner, root).remove(name, hash);
}

Dentry* own_in_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash,
                     std::uint64_t churn) noexcept {
  return TreapEdit(owner, root).own_entry(name, hash, churn);
}

std::size_t edit_bytes(std::size_t cost) noexcept {
  // A border's coming or going parts or joins two blocks, of which the search has seen one, and goes down twice.
  return 2 * cost + 8 * sizeof(TreapNode) + 4 * sizeof(BlockChanges) + 3 * SlabHeap::kSlabBytes;
}

std::size_t edit_bytes() noexcept {
  constexpr std::size_t kDepth = 100;
  return edit_bytes(kDepth * sizeof(TreapNode) + SlabHeap::kSlabBytes);
}

}  // namespace packfs::tree
