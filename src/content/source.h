#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/alloc.h"
#include "base/io.h"
#include "base/unique_fd.h"
#include "packfs/error.h"

namespace packfs::content {

/// The bytes of one immutable file, mapped or read with pread. Owns the mapping, and the descriptor, which a mapping
/// does without: a store of many segments has them all mapped.
/// Threads: all const calls from any thread.
class Source {
 public:
  /// `length` is the file's size now. `map` false: bytes are read with pread, and a file that has shrunk gives an
  /// error. Errors: an errno of mmap.
  static Result<std::unique_ptr<Source>> open(base::Io& io, base::unique_fd fd, std::uint64_t length, bool map);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] std::uint64_t length() const noexcept { return length_; }
  [[nodiscard]] bool mapped() const noexcept { return base_ != nullptr; }
  [[nodiscard]] base::Io& io() const noexcept { return io_; }

  /// The bytes at [offset, offset + length), unverified. Mapped: zero-copy, valid as long as this. Otherwise read into
  /// `scratch`, which is made large enough (never more than the file's length), valid until it changes.
  /// Errors: corrupt (the range is not within the file, or the file has shrunk); no_memory; an errno of pread.
  [[nodiscard]] Result<std::span<const std::byte>> at(std::uint64_t offset, std::uint64_t length,
                                                      base::Buffer& scratch) const;

  /// The same, copied into `scratch` also when mapped: what somebody writes meanwhile does not change it.
  [[nodiscard]] Result<std::span<const std::byte>> copy(std::uint64_t offset, std::uint64_t length,
                                                        base::Buffer& scratch) const;
  /// Copies the bytes at `offset` into `buffer`, unverified. Errors: as at().
  [[nodiscard]] Result<void> copy(std::uint64_t offset, std::span<std::byte> buffer) const;

  /// The mapping's first byte, null when not mapped. For callers that have checked their range.
  [[nodiscard]] const std::byte* base() const noexcept { return base_; }

 private:
  Source(base::Io& io, base::unique_fd fd, std::uint64_t length) noexcept;
  base::Io& io_;
  base::unique_fd fd_;
  std::uint64_t length_;
  const std::byte* base_ = nullptr;
};

}  // namespace packfs::content
