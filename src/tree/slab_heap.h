#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace packfs::tree {

/// The memory of a volume's nodes: objects of at most kMaxBytes, in slabs of one size each, in chunks that ask the
/// kernel for huge pages. Objects freed last are given out first, while they are in the cache. A slab that falls empty
/// serves any size again; a chunk that does goes back to the allocator.
///
/// reserve() is the one call that can fail: what was reserved is there for the allocate() calls that follow, so an edit
/// that has begun cannot run out of memory half way.
///
/// Threads: under the owner's lock. Under AddressSanitizer what is free is poisoned.
class SlabHeap {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{32} << 10;
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
  static constexpr std::size_t kMaxBytes = kSlabBytes - 64;
  static constexpr std::size_t kLargestShared = 4096;  ///< a larger object has a slab to itself

  SlabHeap() = default;
  SlabHeap(const SlabHeap&) = delete;
  SlabHeap& operator=(const SlabHeap&) = delete;
  ~SlabHeap();

  /// True when objects of `bytes` in all, of any sizes, can now be allocated. False: no memory, nothing changed.
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;

  /// At least `bytes` (1 to kMaxBytes), aligned to 16. Never null within what was reserved.
  [[nodiscard]] void* allocate(std::size_t bytes) noexcept;
  void free(void* object) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return chunk_count_ * kChunkBytes; }

 private:
  struct Slab;
  struct Chunk;
  struct FreeObject {
    FreeObject* next;
  };
  struct ListHead {
    Slab* first = nullptr;
  };
  static constexpr std::size_t kHeaderBytes = 64;
  static constexpr std::size_t kSlabsInChunk = kChunkBytes / kSlabBytes - 1;  // the first holds the chunk's header
  static constexpr std::size_t kClasses = 53;

  static std::size_t class_of(std::size_t bytes) noexcept;
  static std::size_t class_bytes(std::size_t index) noexcept;
  static Slab* slab_of(void* object) noexcept;
  bool add_chunk() noexcept;
  Slab* take_slab(std::size_t index) noexcept;
  void add_free(Slab* slab) noexcept;
  void give_back(Slab* slab) noexcept;
  /// Gives back chunks that are free as a whole, but not the last `kept` free slabs and a chunk's worth more.
  void trim(std::size_t kept) noexcept;
  void release(Chunk* chunk) noexcept;
  void link(ListHead& list, Slab* slab) noexcept;
  void unlink(ListHead& list, Slab* slab) noexcept;

  std::array<ListHead, kClasses> partial_{};  // slabs with room, by class
  Slab* free_slabs_ = nullptr;
  std::size_t free_slab_count_ = 0;
  bool has_surplus_ = false;  // chunks were fetched for an edit far larger than others
  Chunk* chunks_ = nullptr;
  std::size_t chunk_count_ = 0;
};

}  // namespace packfs::tree
