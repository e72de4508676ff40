#include "content/chunk.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/alloc.h"

namespace packfs::content {
namespace {

std::atomic<std::uint64_t> chunks_alive{0};
std::atomic<std::uint64_t> bytes_copied_in{0};

}  // namespace

Chunk::Chunk(std::byte* data, std::size_t capacity, Use use) noexcept
    : data_(data), capacity_(capacity), used_(0), use_(use) {
  chunks_alive.fetch_add(1, std::memory_order_relaxed);
}

Chunk::Chunk(std::unique_ptr<std::byte[]> adopted, std::size_t count) noexcept
    : data_(adopted.get()), capacity_(count), used_(count), adopted_(std::move(adopted)), use_(Use::exact) {
  chunks_alive.fetch_add(1, std::memory_order_relaxed);
}

Chunk::~Chunk() { chunks_alive.fetch_sub(1, std::memory_order_relaxed); }

// NOLINTNEXTLINE(misc-new-delete-overloads)
void Chunk::operator delete(void* memory) noexcept { base::release(memory); }

std::uint64_t Chunk::alive() noexcept { return chunks_alive.load(std::memory_order_relaxed); }
std::uint64_t Chunk::copied() noexcept { return bytes_copied_in.load(std::memory_order_relaxed); }

Ref<Chunk> Chunk::make(std::size_t bytes, Use use) {
  const std::size_t whole = sizeof(Chunk) + bytes;
  const std::size_t rounded = (whole + kMostBytes - 1) / kMostBytes * kMostBytes;
  const bool huge = rounded - whole <= rounded / 8;
  const std::size_t taken = huge ? rounded : whole;
  void* const memory = huge ? base::try_allocate_huge(taken) : base::try_allocate(taken);
  if (memory == nullptr) throw std::bad_alloc();
  auto* const data = static_cast<std::byte*>(memory) + sizeof(Chunk);
  return Ref<Chunk>(new (memory) Chunk(data, taken - sizeof(Chunk), use));
}

Ref<Chunk> Chunk::adopt(std::unique_ptr<std::byte[]> bytes, std::size_t count) {
  void* const memory = base::try_allocate(sizeof(Chunk));
  if (memory == nullptr) throw std::bad_alloc();
  return Ref<Chunk>(new (memory) Chunk(std::move(bytes), count));
}

std::size_t Chunk::extend(std::size_t end, std::span<const std::byte> bytes) noexcept {
  const std::size_t taken = std::min(bytes.size(), capacity_ - end);
  std::size_t expected = end;
  // Whoever moves the mark has the bytes up to it for itself, so the order of nothing else depends on this.
  if (taken == 0 || !used_.compare_exchange_strong(expected, end + taken, std::memory_order_relaxed)) return 0;
  std::memcpy(data_ + end, bytes.data(), taken);
  bytes_copied_in.fetch_add(taken, std::memory_order_relaxed);
  return taken;
}

}  // namespace packfs::content
