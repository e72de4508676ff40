#include "content/rope.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/alloc.h"

namespace packfs::content {

namespace {

std::uint64_t size_of(const Ref<const RopeNode>& node) noexcept { return node ? node->size : 0; }
unsigned height_of(const Ref<const RopeNode>& node) noexcept { return node ? node->height : 0; }

}  // namespace

RopeNode::RopeNode(Ref<const RopeNode> before, Piece middle, Ref<const RopeNode> after) noexcept
    : left(std::move(before)), right(std::move(after)), piece(std::move(middle)) {
  size = size_of(left) + piece.length + size_of(right);
  count = (left ? left->count : 0) + 1 + (right ? right->count : 0);
  height = 1 + std::max(height_of(left), height_of(right));
}

void* RopeNode::operator new(std::size_t bytes) {
  void* const memory = base::try_allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void RopeNode::operator delete(void* memory) noexcept { base::release(memory); }

Rope::Rope(NodeRef root) noexcept : root_(std::move(root)) {}
Rope::Rope(Piece piece) : root_(make({}, std::move(piece), {})) {}

std::uint64_t Rope::size() const noexcept { return size_of(root_); }
std::size_t Rope::count() const noexcept { return root_ ? root_->count : 0; }

Rope::NodeRef Rope::make(NodeRef left, Piece piece, NodeRef right) {
  return NodeRef(new Node(std::move(left), std::move(piece), std::move(right)));
}

/// make() for sides whose heights differ by two at most.
Rope::NodeRef Rope::balanced(NodeRef left, Piece piece, NodeRef right) {
  if (height_of(left) > height_of(right) + 1) {
    if (height_of(left->left) >= height_of(left->right)) {
      return make(left->left, left->piece, make(left->right, std::move(piece), std::move(right)));
    }
    const NodeRef& middle = left->right;
    return make(make(left->left, left->piece, middle->left), middle->piece,
                make(middle->right, std::move(piece), std::move(right)));
  }
  if (height_of(right) > height_of(left) + 1) {
    if (height_of(right->right) >= height_of(right->left)) {
      return make(make(std::move(left), std::move(piece), right->left), right->piece, right->right);
    }
    const NodeRef& middle = right->left;
    return make(make(std::move(left), std::move(piece), middle->left), middle->piece,
                make(middle->right, right->piece, right->right));
  }
  return make(std::move(left), std::move(piece), std::move(right));
}

Rope::NodeRef Rope::join(const NodeRef& left, const Piece& piece, const NodeRef& right) {
  if (height_of(left) > height_of(right) + 1) {
    return balanced(left->left, left->piece, join(left->right, piece, right));
  }
  if (height_of(right) > height_of(left) + 1) {
    return balanced(join(left, piece, right->left), right->piece, right->right);
  }
  return make(left, piece, right);
}

Rope::NodeRef Rope::without_last(const NodeRef& node) {
  if (!node->right) return node->left;
  return balanced(node->left, node->piece, without_last(node->right));
}

Rope::NodeRef Rope::with_last(const NodeRef& node, const Piece& piece) {
  return node->right ? make(node->left, node->piece, with_last(node->right, piece)) : make(node->left, piece, {});
}

Rope::NodeRef Rope::concatenate(const NodeRef& left, const NodeRef& right) {
  if (!left) return right;
  if (!right) return left;
  return join(without_last(left), Rope(left).last(), right);
}

Rope::NodeRef Rope::take(const NodeRef& node, std::uint64_t offset) {
  if (!node || offset == 0) return {};
  if (offset >= node->size) return node;
  const std::uint64_t begin = size_of(node->left);
  if (offset <= begin) return take(node->left, offset);
  if (offset >= begin + node->piece.length) {
    return join(node->left, node->piece, take(node->right, offset - begin - node->piece.length));
  }
  Piece part = node->piece;
  part.length = offset - begin;
  return join(node->left, part, {});
}

Rope::NodeRef Rope::drop(const NodeRef& node, std::uint64_t offset) {
  if (!node || offset == 0) return node;
  if (offset >= node->size) return {};
  const std::uint64_t begin = size_of(node->left);
  if (offset <= begin) return join(drop(node->left, offset), node->piece, node->right);
  if (offset >= begin + node->piece.length) return drop(node->right, offset - begin - node->piece.length);
  Piece part = node->piece;
  if (!part.is_hole()) part.offset += offset - begin;
  part.length -= offset - begin;
  return join({}, part, node->right);
}

Rope Rope::before(std::uint64_t offset) const { return Rope(take(root_, offset)); }
Rope Rope::behind(std::uint64_t offset) const { return Rope(drop(root_, offset)); }
Rope Rope::with_last(const Piece& piece) const { return Rope(with_last(root_, piece)); }
Rope Rope::joined(const Rope& left, const Rope& right) { return Rope(concatenate(left.root_, right.root_)); }

const Piece& Rope::first() const noexcept {
  const Node* node = root_.get();
  while (node->left) node = node->left.get();
  return node->piece;
}

const Piece& Rope::last() const noexcept {
  const Node* node = root_.get();
  while (node->right) node = node->right.get();
  return node->piece;
}

}  // namespace packfs::content
