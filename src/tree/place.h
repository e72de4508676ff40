#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "packfs/node.h"
#include "path/path.h"
#include "tree/owner.h"

namespace packfs::tree {

/// A directory on the way to a place.
struct PlaceStep {
  std::string_view name;  ///< of the root: empty
  std::uint64_t hash = 0;
  Node node;
  std::size_t cost = 0;    ///< of making it an edit's own, in bytes
  Dentry* copy = nullptr;  ///< of a directory of the lower: its copy for the state, until it is put there
};

/// The directories on the way, the first few in place: an edit of a shallow tree allocates nothing for them.
class PlaceChain {
 public:
  PlaceChain() noexcept {}  // NOLINT(modernize-use-equals-default): near_ begins without a value
  PlaceChain(PlaceChain&& other) noexcept : size_(std::exchange(other.size_, 0)), far_(std::move(other.far_)) {
    for (std::size_t i = 0; i < size_ && i < kInline; ++i) std::construct_at(&near_[i], other.near_[i]);
  }
  PlaceChain& operator=(PlaceChain&&) = delete;
  ~PlaceChain() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] PlaceStep& operator[](std::size_t i) noexcept { return i < kInline ? near_[i] : far_[i - kInline]; }
  [[nodiscard]] const PlaceStep& operator[](std::size_t i) const noexcept {
    return i < kInline ? near_[i] : far_[i - kInline];
  }
  [[nodiscard]] PlaceStep& back() noexcept { return (*this)[size_ - 1]; }
  [[nodiscard]] const PlaceStep& back() const noexcept { return (*this)[size_ - 1]; }
  void push_back(const PlaceStep& step) {
    if (size_ >= kInline) far_.push_back(step);
    if (size_ < kInline) std::construct_at(&near_[size_], step);
    ++size_;
  }
  void resize_down(std::size_t size) noexcept {
    size_ = size;
    far_.resize(size > kInline ? size - kInline : 0);
  }

 private:
  static constexpr std::size_t kInline = 6;

  std::size_t size_ = 0;
  union {
    std::array<PlaceStep, kInline> near_;  // the first `size_` have a value
  };
  std::vector<PlaceStep> far_;
};

/// What a path leads to. Threads: under the volume's count lock.
struct Place {
  explicit Place(PartHeap& parts) noexcept : heap(&parts) {}
  Place(Place&&) noexcept = default;
  Place& operator=(Place&&) = delete;
  ~Place() {
    for (std::size_t i = 0; i < chain.size(); ++i) heap->let_go(chain[i].copy);
  }

  PartHeap* heap;
  PlaceChain chain;  ///< from the root to the directory that holds the name
  std::string_view name;
  std::uint64_t hash = 0;
  std::size_t cost = 0;
  bool is_root = false;
  bool found = false;
  bool slash = false;      ///< a '/' stands behind the last component
  bool by_link = false;    ///< the last component came from a symlink's target
  bool lower_has = false;  ///< the directory's lower has the name, seen or hidden
  Node node;               ///< when found
  /// Of a place found for making what is missing: what of the path comes behind the missing name.
  std::optional<path::Splitter> rest;
  const Dentry* own = nullptr;  ///< the name's Dentry in the state, be it a whiteout
};

}  // namespace packfs::tree
