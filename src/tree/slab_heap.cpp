#include "tree/slab_heap.h"

#include <bit>
#include <new>

#include "base/alloc.h"

#if defined(__SANITIZE_ADDRESS__)
#define PACKFS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PACKFS_ASAN 1
#endif
#endif
#ifdef PACKFS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace packfs::tree {
namespace {

#ifdef PACKFS_ASAN
void poison(void* memory, std::size_t bytes) noexcept { __asan_poison_memory_region(memory, bytes); }
void unpoison(void* memory, std::size_t bytes) noexcept { __asan_unpoison_memory_region(memory, bytes); }
#else
void poison(void*, std::size_t) noexcept {}
void unpoison(void*, std::size_t) noexcept {}
#endif

}  // namespace

/// Lies at the slab's begin, so that it is found from an object's address.
struct SlabHeap::Slab {
  Slab* next;
  Slab* previous;
  Chunk* chunk;
  FreeObject* free;         // objects given back
  std::uint32_t untouched;  // where those begin that were never given out
  std::uint32_t used;
  std::uint32_t object_bytes;
  std::uint32_t class_index;
};

/// Lies at the chunk's begin.
struct SlabHeap::Chunk {
  Chunk* next;
  Chunk* previous;
  std::size_t free_slabs;
};

std::size_t SlabHeap::class_of(std::size_t bytes) noexcept {
  if (bytes <= 512) return (bytes + 15) / 16 - 1;
  if (bytes <= 1024) return 32 + (bytes - 512 + 63) / 64 - 1;
  if (bytes <= kLargestShared) return 40 + (bytes - 1024 + 255) / 256 - 1;
  return 52;
}

std::size_t SlabHeap::class_bytes(std::size_t index) noexcept {
  if (index < 32) return (index + 1) * 16;
  if (index < 40) return 512 + (index - 31) * 64;
  if (index < 52) return 1024 + (index - 39) * 256;
  return kMaxBytes;
}

SlabHeap::Slab* SlabHeap::slab_of(void* object) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): slabs are aligned to their size
  return reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(object) & ~(kSlabBytes - 1));
}

SlabHeap::~SlabHeap() {
  while (chunks_ != nullptr) {
    Chunk* const chunk = chunks_;
    chunks_ = chunk->next;
    unpoison(chunk, kChunkBytes);
    base::release(chunk);
  }
}

bool SlabHeap::add_chunk() noexcept {
  void* memory = base::try_allocate_huge(kChunkBytes);
  if (memory == nullptr) return false;
  auto* chunk = new (memory) Chunk{chunks_, nullptr, 0};
  if (chunks_ != nullptr) chunks_->previous = chunk;
  chunks_ = chunk;
  ++chunk_count_;
  // Backwards, so that slabs are taken in the order of their addresses.
  for (std::size_t i = kSlabsInChunk; i >= 1; --i) {
    auto* slab = new (static_cast<std::byte*>(memory) + i * kSlabBytes) Slab{};
    slab->chunk = chunk;
    add_free(slab);
  }
  return true;
}

bool SlabHeap::reserve(std::size_t bytes) noexcept {
  // Each class may leave its last slab unfinished, and a slab's end unused.
  const std::size_t needed = kClasses / 2 + 2 * (bytes / kSlabBytes + 1);
  if (has_surplus_) [[unlikely]] {
    trim(needed);
  }
  while (free_slab_count_ < needed) {
    if (!add_chunk()) return false;
    // What an edit of ordinary size never needs goes back before the next one.
    has_surplus_ = free_slab_count_ > 2 * kSlabsInChunk;
  }
  return true;
}

void SlabHeap::link(ListHead& list, Slab* slab) noexcept {
  slab->previous = nullptr;
  slab->next = list.first;
  if (list.first != nullptr) list.first->previous = slab;
  list.first = slab;
}

void SlabHeap::unlink(ListHead& list, Slab* slab) noexcept {
  (slab->previous != nullptr ? slab->previous->next : list.first) = slab->next;
  if (slab->next != nullptr) slab->next->previous = slab->previous;
}

SlabHeap::Slab* SlabHeap::take_slab(std::size_t index) noexcept {
  if (free_slab_count_ == 0 && !add_chunk()) return nullptr;
  ListHead list{free_slabs_};
  Slab* const slab = list.first;
  unlink(list, slab);
  free_slabs_ = list.first;
  --free_slab_count_;
  --slab->chunk->free_slabs;
  slab->free = nullptr;
  slab->untouched = kHeaderBytes;
  slab->used = 0;
  slab->object_bytes = static_cast<std::uint32_t>(class_bytes(index));
  slab->class_index = static_cast<std::uint32_t>(index);
  link(partial_[index], slab);
  return slab;
}

void SlabHeap::add_free(Slab* slab) noexcept {
  poison(reinterpret_cast<std::byte*>(slab) + kHeaderBytes, kSlabBytes - kHeaderBytes);
  ListHead list{free_slabs_};
  link(list, slab);
  free_slabs_ = list.first;
  ++free_slab_count_;
  ++slab->chunk->free_slabs;
}

void SlabHeap::give_back(Slab* slab) noexcept {
  add_free(slab);
  // A chunk's worth stays, so that work around a border does not fetch and return the same chunk.
  if (slab->chunk->free_slabs < kSlabsInChunk || free_slab_count_ < 2 * kSlabsInChunk) return;
  release(slab->chunk);
}

void SlabHeap::trim(std::size_t kept) noexcept {
  for (Chunk* chunk = chunks_; chunk != nullptr && free_slab_count_ >= kept + 2 * kSlabsInChunk;) {
    Chunk* const next = chunk->next;
    if (chunk->free_slabs == kSlabsInChunk) release(chunk);
    chunk = next;
  }
  has_surplus_ = false;
}

void SlabHeap::release(Chunk* chunk) noexcept {
  for (std::size_t i = 1; i <= kSlabsInChunk; ++i) {
    ListHead all{free_slabs_};
    unlink(all, reinterpret_cast<Slab*>(reinterpret_cast<std::byte*>(chunk) + i * kSlabBytes));
    free_slabs_ = all.first;
  }
  free_slab_count_ -= kSlabsInChunk;
  (chunk->previous != nullptr ? chunk->previous->next : chunks_) = chunk->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
  --chunk_count_;
  unpoison(chunk, kChunkBytes);
  base::release(chunk);
}

void* SlabHeap::allocate(std::size_t bytes) noexcept {
  const std::size_t index = class_of(bytes);
  Slab* slab = partial_[index].first;
  if (slab == nullptr) [[unlikely]] {
    slab = take_slab(index);
    if (slab == nullptr) return nullptr;
  }
  ++slab->used;
  void* object = slab->free;
  if (object != nullptr) {
    unpoison(object, slab->object_bytes);
    slab->free = static_cast<FreeObject*>(object)->next;
  } else {
    object = reinterpret_cast<std::byte*>(slab) + slab->untouched;
    slab->untouched += slab->object_bytes;
    unpoison(object, slab->object_bytes);
  }
  if (slab->free == nullptr && slab->untouched + slab->object_bytes > kSlabBytes) [[unlikely]] {
    unlink(partial_[index], slab);
  }
  return object;
}

void SlabHeap::free(void* object) noexcept {
  Slab* const slab = slab_of(object);
  const bool was_full = slab->free == nullptr && slab->untouched + slab->object_bytes > kSlabBytes;
  static_cast<FreeObject*>(object)->next = slab->free;
  slab->free = static_cast<FreeObject*>(object);
  poison(object, slab->object_bytes);
  if (was_full) [[unlikely]] {
    link(partial_[slab->class_index], slab);
  }
  if (--slab->used == 0) [[unlikely]] {
    unlink(partial_[slab->class_index], slab);
    give_back(slab);
  }
}

}  // namespace packfs::tree
