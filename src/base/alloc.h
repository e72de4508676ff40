#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace packfs::base {

/// The library's own memory comes from mimalloc, the host program's malloc stays its own. With PACKFS_PLAIN_MALLOC
/// (sanitizer builds, which must see every block) it is plain malloc. Threads: any.

/// At least `bytes` (0 counts as 1), aligned to 16; null when there is no memory.
[[nodiscard]] void* try_allocate(std::size_t bytes) noexcept;
/// The same aligned to 2 MiB, of a multiple of that, after asking the kernel to back it with huge pages.
[[nodiscard]] void* try_allocate_huge(std::size_t bytes) noexcept;
void release(void* memory) noexcept;  ///< null does nothing

/// For tests: the allocation after the next `count` fails, and all later ones `for_ever`; SIZE_MAX: none does. Counts
/// those of try_allocate() and try_allocate_huge() on all threads.
void fail_allocations(std::size_t count, bool for_ever = false) noexcept;
/// Whether one has failed since; and for tests that replace operator new: whether this one is to fail.
[[nodiscard]] bool allocation_has_failed() noexcept;
[[nodiscard]] bool allocation_fails() noexcept;

/// Uninitialised bytes with one owner.
class Buffer {
 public:
  Buffer() noexcept = default;
  /// Throws std::bad_alloc.
  explicit Buffer(std::size_t bytes);
  /// An empty Buffer when there is no memory (and `bytes` was not 0).
  static Buffer try_make(std::size_t bytes) noexcept;
  Buffer(Buffer&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() = default;

  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte> span() const noexcept { return {memory_.get(), size_}; }
  explicit operator bool() const noexcept { return memory_ != nullptr; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { release(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

/// Allocator for standard containers.
template <class T>
struct Allocator {
  using value_type = T;
  Allocator() noexcept = default;
  template <class U>
  Allocator(const Allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor): the Allocator requirements
  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= 16);
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    void* memory = try_allocate(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { release(static_cast<void*>(memory)); }
  template <class U>
  friend bool operator==(const Allocator&, const Allocator<U>&) noexcept {
    return true;
  }
};

}  // namespace packfs::base
