#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "content/block_reader.h"
#include "content/stored.h"

namespace packfs::content {

/// The part of a file that a reader may look at.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t length) const noexcept {
    return offset >= begin && offset <= end && length <= end - offset;
  }
};

/// Reads contents of form run: plain bytes with a trailer of checksums (docs/format.md section 2). Only `size`,
/// `location` and `stored_length` of a Stored count. Borrows the source. Threads: any. Errors: as StoredReader's.
class RunReader {
 public:
  RunReader(const Source& source, const VerifiedBits& verified, Region region) noexcept
      : source_(source), blocks_(source, verified), region_(region) {}

  [[nodiscard]] Result<std::size_t> read(const Stored& run, std::uint64_t offset, std::span<std::byte> buffer) const;
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const Stored& run) const;
  /// Hashes every block anew and compares the source length, where there is one, with the size.
  [[nodiscard]] Result<void> verify(const Stored& run) const;

 private:
  [[nodiscard]] bool read_small(const Stored& run, std::uint64_t offset, std::span<std::byte> buffer) const noexcept;
  [[nodiscard]] Result<void> check_range(const Stored& run) const;

  const Source& source_;
  BlockReader blocks_;
  Region region_;
};

}  // namespace packfs::content
