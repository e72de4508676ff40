#include "tree/treap.h"

#include <algorithm>

#include "tree/owner.h"

namespace packfs::tree {
namespace {

/// The whole separator: a border's block begins with it.
std::string_view separator_of(const TreapNode& node) noexcept {
  if (node.separator_length <= TreapNode::kSeparatorRoom) return {node.separator.data(), node.separator_length};
  return BlockCursor(*node.block).next()->name();
}

/// Whether `name` stands before the node's first name.
bool is_before(std::string_view name, const TreapNode& node) noexcept {
  const std::size_t inlined = std::min<std::size_t>(node.separator_length, TreapNode::kSeparatorRoom);
  const std::size_t common = std::min(name.size(), inlined);
  const int order = name.substr(0, common).compare(std::string_view(node.separator.data(), common));
  if (order != 0) return order < 0;
  if (node.separator_length <= TreapNode::kSeparatorRoom || name.size() < inlined) {
    return name.size() < node.separator_length;
  }
  return name < separator_of(node);
}

std::uint32_t priority_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

/// Whether `a` belongs above `b` (invariant 2).
bool is_above(const TreapNode& a, const TreapNode& b) noexcept {
  if (a.priority != b.priority) return a.priority > b.priority;
  return separator_of(a) < separator_of(b);
}

/// Edits one treap.
class TreapEdit {
 public:
  TreapEdit(Owner& owner, TreapNode*& root) noexcept : owner_(owner), root_(root) {}

  void put(Dentry* entry, std::uint64_t hash) noexcept {
    const std::string_view name = entry->name();
    const bool border = is_border(hash);
    TreapNode** const slot = own_path(name);
    if (slot == nullptr) {
      // Before all that is there.
      Block* const block = owner_.make_block();
      put_in_block(owner_, *block, entry, hash);
      return add(border ? owner_.make_node(block, name, priority_of(hash)) : owner_.make_node(block, {}, 0));
    }
    Block& block = *((*slot)->block = owner_.own((*slot)->block));
    if (!border || separator_of(**slot) == name) return put_in_block(owner_, block, entry, hash);
    Block* const tail = split_block(owner_, block, name);
    put_in_block(owner_, *tail, entry, hash);
    const bool emptied = block.entry_count() == 0;
    if (emptied) remove_node(separator_of(**slot));
    add(owner_.make_node(tail, name, priority_of(hash)));
  }

  void remove(std::string_view name, std::uint64_t hash) noexcept {
    TreapNode* const node = *own_path(name);
    Block& block = *(node->block = owner_.own(node->block));
    if (!is_border(hash)) {
      remove_from_block(owner_, block, name, hash);
      if (block.entry_count() == 0) remove_node({});  // only the headless one can fall empty
      return;
    }
    // What follows a border that goes belongs to the one before.
    owner_.heap().share(&block);
    Block* rest = &block;
    remove_node(name);
    rest = owner_.own(rest);
    remove_from_block(owner_, *rest, name, hash);
    if (rest->entry_count() == 0) return owner_.heap().let_go(rest);
    TreapNode** const before = own_path(name);
    if (before == nullptr) return add(owner_.make_node(rest, {}, 0));
    (*before)->block = owner_.own((*before)->block);
    append_block(owner_, *(*before)->block, rest);
  }

  Dentry* own_entry(std::string_view name, std::uint64_t hash) noexcept {
    TreapNode* const node = *own_path(name);
    Block& block = *(node->block = owner_.own(node->block));
    Dentry* const entry = const_cast<Dentry*>(find_in_block(block, name, hash));
    if (owner_.owns(*entry)) return entry;
    Dentry* const copy = owner_.copy_dentry(*entry, name);
    put_in_block(owner_, block, copy, hash);
    return copy;
  }

 private:
  /// Owns the nodes from the root to the one whose block has, or would have, `name`; where that one is held. Null when
  /// the name stands before all.
  TreapNode** own_path(std::string_view name) noexcept {
    const TreapNode* target = nullptr;
    for (const TreapNode* node = root_; node != nullptr;) {
      if (is_before(name, *node)) {
        node = node->left;
      } else {
        target = node;
        node = node->right;
      }
    }
    if (target == nullptr) return nullptr;
    for (TreapNode** slot = &root_;;) {
      const bool found = *slot == target;
      *slot = owner_.own(*slot);
      if (found) return slot;
      slot = is_before(name, **slot) ? &(*slot)->left : &(*slot)->right;
    }
  }

  /// Adds a node whose separator is not there.
  void add(TreapNode* fresh) noexcept {
    const std::string_view name = separator_of(*fresh);
    TreapNode** slot = &root_;
    while (*slot != nullptr && is_above(**slot, *fresh)) {
      *slot = owner_.own(*slot);
      slot = is_before(name, **slot) ? &(*slot)->left : &(*slot)->right;
    }
    split(*slot, name, &fresh->left, &fresh->right);
    *slot = fresh;
  }

  /// Parts a treap into the nodes before `name` and those behind it. Takes the reference to `node`.
  void split(TreapNode* node, std::string_view name, TreapNode** before, TreapNode** behind) noexcept {
    while (node != nullptr) {
      node = owner_.own(node);
      if (is_before(name, *node)) {
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
  void remove_node(std::string_view separator) noexcept {
    TreapNode** slot = &root_;
    for (;;) {
      *slot = owner_.own(*slot);
      if (separator_of(**slot) == separator) break;
      slot = is_before(separator, **slot) ? &(*slot)->left : &(*slot)->right;
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
  const TreapNode* target = nullptr;
  std::size_t visited = 0;
  for (const TreapNode* node = root; node != nullptr; ++visited) {
    if (is_before(name, *node)) {
      node = node->left;
    } else {
      target = node;
      node = node->right;
    }
  }
  if (cost != nullptr) {
    *cost += visited * sizeof(TreapNode) + 2 * sizeof(Block);
    if (target != nullptr) *cost += block_copy_bytes(*target->block);
  }
  return target != nullptr ? find_in_block(*target->block, name, hash) : nullptr;
}

TreapCursor::TreapCursor(const TreapNode* root, std::string_view from) {
  const TreapNode* start = nullptr;
  for (const TreapNode* node = root; node != nullptr;) {
    if (is_before(from, *node)) {
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
  block_ = BlockCursor(*start->block, from);
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
    block_ = BlockCursor(*node->block);
    has_block_ = true;
  }
}

void put_in_treap(Owner& owner, TreapNode*& root, Dentry* entry, std::uint64_t hash) noexcept {
  TreapEdit(owner, root).put(entry, hash);
}

void remove_from_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash) noexcept {
  TreapEdit(owner, root).remove(name, hash);
}

Dentry* own_in_treap(Owner& owner, TreapNode*& root, std::string_view name, std::uint64_t hash) noexcept {
  return TreapEdit(owner, root).own_entry(name, hash);
}

std::size_t edit_bytes(std::size_t cost) noexcept {
  // A border's coming or going parts or joins two blocks, of which the search has seen one, and goes down twice.
  return 2 * cost + 8 * sizeof(TreapNode) + 4 * sizeof(Block) + 3 * SlabHeap::kSlabBytes;
}

std::size_t edit_bytes() noexcept {
  constexpr std::size_t kDepth = 100;
  return edit_bytes(kDepth * sizeof(TreapNode) + SlabHeap::kSlabBytes);
}

}  // namespace packfs::tree
