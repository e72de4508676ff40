#include "tree/treap_diff.h"

#include <vector>

namespace packfs::tree {
namespace {

/// What of a treap is still to be walked, in order, its next part on top.
class Remainder {
 public:
  explicit Remainder(const TreapNode* root) {
    if (root != nullptr) parts_.push_back({root, false, {}, nullptr});
  }

  struct Part {
    const TreapNode* node;
    bool is_block;       // the node's block alone; otherwise the whole subtree
    BlockCursor cursor;  // of a block that has been begun
    const Dentry* next;  // its next entry, null while it has not been begun
  };

  [[nodiscard]] bool empty() const noexcept { return parts_.empty(); }
  [[nodiscard]] Part& top() noexcept { return parts_.back(); }
  void pop() noexcept { parts_.pop_back(); }

  void open() {
    const TreapNode* const node = parts_.back().node;
    parts_.pop_back();
    if (node->right != nullptr) parts_.push_back({node->right, false, {}, nullptr});
    parts_.push_back({node, true, {}, nullptr});
    if (node->left != nullptr) parts_.push_back({node->left, false, {}, nullptr});
  }

  /// The entry at the front, whose block is on top.
  const Dentry* front() noexcept {
    Part& part = parts_.back();
    if (part.next == nullptr) {
      part.cursor = BlockCursor(part.node->block);
      part.next = part.cursor.next();
    }
    return part.next;
  }
  void advance() noexcept {
    Part& part = parts_.back();
    part.next = part.cursor.next();
    if (part.next == nullptr) parts_.pop_back();
  }

 private:
  std::vector<Part> parts_;
};

/// Opens subtrees until both fronts are blocks, passing over what both share. False when one is at its end.
bool align(Remainder& a, Remainder& b) {
  while (!a.empty() && !b.empty()) {
    Remainder::Part& left = a.top();
    Remainder::Part& right = b.top();
    if (left.is_block && right.is_block) {
      if (left.next != nullptr || right.next != nullptr || left.node->block != right.node->block) return true;
      a.pop();
      b.pop();
    } else if (left.is_block || right.is_block) {
      (left.is_block ? b : a).open();
    } else if (left.node == right.node) {
      a.pop();
      b.pop();
    } else {
      // The higher one holds more; those with one priority are the same place in both.
      const std::uint32_t upper = left.node->priority;
      const std::uint32_t lower = right.node->priority;
      if (upper >= lower) a.open();
      if (lower >= upper) b.open();
    }
  }
  return false;
}

void visit_rest(Remainder& rest, const std::function<void(const Dentry*)>& visit) {
  while (!rest.empty()) {
    if (!rest.top().is_block) {
      rest.open();
      continue;
    }
    visit(rest.front());
    rest.advance();
  }
}

}  // namespace

void diff_treaps(const TreapNode* a, const TreapNode* b,
                 const std::function<void(const Dentry* a, const Dentry* b)>& visit) {
  Remainder left(a);
  Remainder right(b);
  while (align(left, right)) {
    const Dentry* const one = left.front();
    const Dentry* const other = right.front();
    const int order = one == other ? 0 : one->name().compare(other->name());
    if (one != other) visit(order <= 0 ? one : nullptr, order >= 0 ? other : nullptr);
    if (order <= 0) left.advance();
    if (order >= 0) right.advance();
  }
  visit_rest(left, [&](const Dentry* entry) { visit(entry, nullptr); });
  visit_rest(right, [&](const Dentry* entry) { visit(nullptr, entry); });
}

}  // namespace packfs::tree
