#pragma once

#include <cstddef>
#include <cstdint>

#include "content/backing.h"
#include "content/chunk.h"
#include "packfs/error.h"
#include "packfs/ref.h"

namespace packfs::content {

/// A stretch of a content: of a chunk, of a backing, or (neither) a hole.
struct Piece {
  Ref<Chunk> chunk;
  Ref<const Backing> backing;
  std::uint64_t offset = 0;  ///< in the chunk or backing
  std::uint64_t length = 0;  ///< at least 1

  [[nodiscard]] bool is_hole() const noexcept { return !chunk && !backing; }
};

/// One node of a Rope: a piece between what comes before it and what comes after it.
struct RopeNode final : Counted {
  RopeNode(Ref<const RopeNode> before, Piece middle, Ref<const RopeNode> after) noexcept;
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;

  Ref<const RopeNode> left;
  Ref<const RopeNode> right;
  Piece piece;
  std::uint64_t size = 0;  ///< bytes of the subtree
  std::size_t count = 0;   ///< pieces of the subtree
  unsigned height = 0;
};

/// A persistent sequence of pieces: an AVL tree whose nodes are shared and counted, built by joining (Blelloch,
/// Ferizovic, Sun: Just Join for Parallel Ordered Sets, 2016). Edits copy O(log pieces) nodes. Throws std::bad_alloc.
class Rope {
 public:
  Rope() noexcept = default;
  explicit Rope(Piece piece);

  [[nodiscard]] std::uint64_t size() const noexcept;
  [[nodiscard]] std::size_t count() const noexcept;

  [[nodiscard]] Rope before(std::uint64_t offset) const;  ///< the bytes below `offset`
  [[nodiscard]] Rope behind(std::uint64_t offset) const;  ///< the bytes from `offset` on
  [[nodiscard]] static Rope joined(const Rope& left, const Rope& right);

  /// The same with another last piece; the rope is not empty.
  [[nodiscard]] Rope with_last(const Piece& piece) const;

  /// The first and the last piece; the rope is not empty.
  [[nodiscard]] const Piece& first() const noexcept;
  [[nodiscard]] const Piece& last() const noexcept;

  /// Calls `visit(piece, where it begins)` from the piece that holds `offset` on, until it returns false.
  template <class Visit>
  void walk(std::uint64_t offset, Visit visit) const {
    visit_from(root_.get(), 0, offset, visit);
  }

 private:
  using Node = RopeNode;
  using NodeRef = Ref<const Node>;
  explicit Rope(NodeRef root) noexcept;

  static NodeRef make(NodeRef left, Piece piece, NodeRef right);
  static NodeRef balanced(NodeRef left, Piece piece, NodeRef right);
  static NodeRef join(const NodeRef& left, const Piece& piece, const NodeRef& right);
  static NodeRef concatenate(const NodeRef& left, const NodeRef& right);
  static NodeRef without_last(const NodeRef& node);
  static NodeRef with_last(const NodeRef& node, const Piece& piece);
  static NodeRef take(const NodeRef& node, std::uint64_t offset);
  static NodeRef drop(const NodeRef& node, std::uint64_t offset);
  template <class Visit>
  static bool visit_from(const Node* node, std::uint64_t begin, std::uint64_t offset, Visit& visit) {
    if (node == nullptr || offset >= begin + node->size) return true;
    const std::uint64_t at = begin + (node->left ? node->left->size : 0);
    if (offset < at && !visit_from(node->left.get(), begin, offset, visit)) return false;
    if (offset < at + node->piece.length && !visit(node->piece, at)) return false;
    return visit_from(node->right.get(), at + node->piece.length, offset, visit);
  }

  NodeRef root_;
};

}  // namespace packfs::content
