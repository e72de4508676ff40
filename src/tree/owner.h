#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "tree/block.h"
#include "tree/dentry.h"
#include "tree/slab_heap.h"
#include "tree/treap.h"

namespace packfs::tree {

/// Live objects, by kind.
struct PartCounts {
  std::uint64_t nodes = 0;
  std::uint64_t changes = 0;
  std::uint64_t bases = 0;
  std::uint64_t dentries = 0;
  std::uint64_t xattrs = 0;
  std::uint64_t copied = 0;  ///< made as copies, since the start
  std::uint64_t made = 0;    ///< since the start
};

/// Makes, shares and lets go of the parts of one volume's trees. What nobody holds any more is buried, and freed by
/// free_buried() in steps, so that letting go of a million entries costs nothing at once and
/// recurses nowhere.
///
/// Threads: under the volume's count lock.
class PartHeap {
 public:
  explicit PartHeap(std::uint64_t seed) noexcept : seed_(seed) {}
  PartHeap(const PartHeap&) = delete;
  PartHeap& operator=(const PartHeap&) = delete;
  ~PartHeap();

  [[nodiscard]] std::uint64_t hash(std::string_view name) const noexcept;
  /// Table::origin() of the volume's trees when they stand over no other. Set before there is a tree, if at all.
  [[nodiscard]] std::uint64_t origin() const noexcept { return origin_; }
  void set_origin(std::uint64_t origin) noexcept { origin_ = origin; }
  [[nodiscard]] SlabHeap& memory() noexcept { return memory_; }
  [[nodiscard]] const PartCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] PartCounts& counts() noexcept { return counts_; }

  void share(Part* part) noexcept {
    if (part != nullptr) ++part->references;
  }
  void let_go(TreapNode* node) noexcept { drop(node, Kind::node); }
  void let_go(BlockChanges* changes) noexcept { drop(changes, Kind::changes); }
  void let_go(BlockBase* base) noexcept { drop(base, Kind::base); }
  void let_go(Dentry* dentry) noexcept { drop(dentry, Kind::dentry); }
  void let_go(XattrBlob* xattrs) noexcept { drop(xattrs, Kind::xattrs); }

  /// Bytes of parts, and of what they hold, made since the start.
  [[nodiscard]] std::uint64_t bytes_made() const noexcept { return bytes_made_; }
  /// For what was made elsewhere: contents, attributes.
  void count_made(std::uint64_t bytes) noexcept { bytes_made_ += bytes; }

  [[nodiscard]] bool has_buried() const noexcept { return buried_ != 0; }
  /// Frees up to `steps` buried parts.
  void free_buried(std::size_t steps) noexcept;

  template <class T, class... Arguments>
  [[nodiscard]] T* make(std::size_t bytes, std::uint64_t owner, Arguments&&... arguments) noexcept {
    T* part = new (memory_.allocate(bytes)) T{std::forward<Arguments>(arguments)...};
    part->owner = owner;
    ++counts_.made;
    bytes_made_ += bytes;
    return part;
  }

 private:
  enum class Kind : std::uint8_t { node, changes, base, dentry, xattrs };

  void drop(Part* part, Kind kind) noexcept {
    if (part == nullptr || --part->references != 0) return;
    // The owner's place serves as the link: nobody can own what is buried.
    part->owner = buried_;
    buried_ = reinterpret_cast<std::uintptr_t>(part) | static_cast<std::uintptr_t>(kind);
  }

  std::uint64_t seed_;
  std::uint64_t origin_ = 0;
  std::uintptr_t buried_ = 0;  // the last buried part, its kind in the low bits
  SlabHeap memory_;
  PartCounts counts_;
  std::uint64_t bytes_made_ = 0;
};

/// A reference to a part that nobody else holds yet, let go unless it is handed on.
template <class T>
class Holder {
 public:
  Holder(PartHeap& heap, T* part) noexcept : heap_(heap), part_(part) {}
  Holder(Holder&& other) noexcept : heap_(other.heap_), part_(other.release()) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { heap_.let_go(part_); }
  [[nodiscard]] T* get() const noexcept { return part_; }
  [[nodiscard]] T* release() noexcept { return std::exchange(part_, nullptr); }

 private:
  PartHeap& heap_;
  T* part_;
};

/// One edit's right to change what it made: all parts with its id.
class Owner {
 public:
  Owner(PartHeap& heap, std::uint64_t id) noexcept : heap_(&heap), id_(id) {}
  [[nodiscard]] PartHeap& heap() const noexcept { return *heap_; }
  [[nodiscard]] bool owns(const Part& part) const noexcept { return part.owner == id_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  // Each gives a part that this owns in the place of one that the caller holds a reference to.
  [[nodiscard]] TreapNode* own(TreapNode* node) noexcept;
  [[nodiscard]] BlockChanges* own(BlockChanges* changes) noexcept;
  [[nodiscard]] Dentry* own(Dentry* dentry) noexcept;

  [[nodiscard]] TreapNode* make_node(const Block& block, std::string_view separator, std::uint32_t priority) noexcept;
  [[nodiscard]] BlockChanges* make_changes() noexcept;
  /// With room for so many or some more.
  [[nodiscard]] BlockBase* make_base(std::size_t room) noexcept;
  /// With room for `inline_bytes`, which are the caller's to fill.
  [[nodiscard]] Dentry* make_dentry(FileType type, std::string_view name, std::size_t inline_bytes) noexcept;
  /// A copy under another name, with its inline bytes.
  [[nodiscard]] Dentry* copy_dentry(const Dentry& dentry, std::string_view name) noexcept;

 private:
  PartHeap* heap_;
  std::uint64_t id_;
};

}  // namespace packfs::tree
