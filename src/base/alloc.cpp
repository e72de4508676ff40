#include "base/alloc.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/io.h"

#ifndef PACKFS_PLAIN_MALLOC
#include <mimalloc.h>
#endif

namespace packfs::base {

namespace {
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::atomic<std::size_t> until_failure{SIZE_MAX};
std::atomic<bool> fails_for_ever{false};
std::atomic<bool> has_failed{false};
}  // namespace

void fail_allocations(std::size_t count, bool for_ever) noexcept {
  has_failed.store(false);
  fails_for_ever.store(for_ever);
  until_failure.store(count);
}

bool allocation_has_failed() noexcept { return has_failed.load(); }

bool allocation_fails() noexcept {
  if (until_failure.load(std::memory_order_relaxed) == SIZE_MAX) [[likely]] {
    return false;
  }
  std::size_t left = until_failure.load();
  while (left != SIZE_MAX && left != 0 && !until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 0) return false;
  has_failed.store(true);
  if (!fails_for_ever.load()) until_failure.store(SIZE_MAX);
  return true;
}

void* try_allocate(std::size_t bytes) noexcept {
  if (allocation_fails()) return nullptr;
  // Both allocators align blocks of 16 bytes and more to 16, smaller ones perhaps to 8 only.
  const std::size_t size = std::max(bytes, kAlignment);
#ifdef PACKFS_PLAIN_MALLOC
  return std::malloc(size);
#else
  return mi_malloc(size);
#endif
}

void* try_allocate_huge(std::size_t bytes) noexcept {
  if (allocation_fails()) return nullptr;
#ifdef PACKFS_PLAIN_MALLOC
  void* const memory = std::aligned_alloc(kHugePage, bytes);
#else
  void* const memory = mi_malloc_aligned(bytes, kHugePage);
#endif
  // That it may be refused changes nothing.
  if (memory != nullptr) static_cast<void>(system_io().madvise(memory, bytes, MADV_HUGEPAGE));
  return memory;
}

void release(void* memory) noexcept {
#ifdef PACKFS_PLAIN_MALLOC
  std::free(memory);
#else
  mi_free(memory);
#endif
}

Buffer Buffer::try_make(std::size_t bytes) noexcept {
  Buffer buffer;
  buffer.memory_.reset(static_cast<std::byte*>(try_allocate(bytes)));
  if (buffer) buffer.size_ = bytes;
  return buffer;
}

Buffer::Buffer(std::size_t bytes) : Buffer(try_make(bytes)) {
  if (memory_ == nullptr) throw std::bad_alloc();
}

}  // namespace packfs::base
