#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/io.h"
#include "packfs/error.h"

namespace packfs::content {

/// Remembers which checksums of a file region were found good: one bit for every 8 bytes of it, since no two checksums
/// are nearer to each other than that. The memory is reserved at once and committed by the kernel page by page as bits
/// are set, so making one costs the same whatever the region's size. Borrows the Io. Threads: all calls from any.
class VerifiedBits {
 public:
  /// For checksums that begin in [begin, end). Errors: no_memory, or another errno of mmap.
  static Result<VerifiedBits> make(base::Io& io, std::uint64_t begin, std::uint64_t end);
  VerifiedBits(VerifiedBits&& other) noexcept;
  VerifiedBits& operator=(VerifiedBits&&) = delete;
  ~VerifiedBits();

  // Relaxed order is enough: what was verified is a file that nobody writes, not memory another thread filled.
  [[nodiscard]] bool test(std::uint64_t checksum_offset) const noexcept {
    return (word(checksum_offset).load(std::memory_order_relaxed) & bit(checksum_offset)) != 0;
  }
  void set(std::uint64_t checksum_offset) const noexcept {
    word(checksum_offset).fetch_or(bit(checksum_offset), std::memory_order_relaxed);
  }

 private:
  VerifiedBits(base::Io& io, std::uint64_t begin, std::uint64_t* words, std::size_t bytes) noexcept
      : io_(io), begin_(begin), words_(words), bytes_(bytes) {}
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::uint64_t offset) const noexcept {
    return std::atomic_ref<std::uint64_t>(words_[(offset - begin_) / 512]);
  }
  [[nodiscard]] std::uint64_t bit(std::uint64_t offset) const noexcept {
    return std::uint64_t{1} << ((offset - begin_) / 8 % 64);
  }

  base::Io& io_;
  std::uint64_t begin_;
  std::uint64_t* words_;
  std::size_t bytes_;
};

}  // namespace packfs::content
