#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/io.h"
#include "base/unique_fd.h"
#include "log/file_header.h"
#include "packfs/error.h"

namespace packfs::log {

/// A segment that grows. Its file is allocated ahead, so that writing a group changes nothing but the group's bytes
/// and syncing it costs no more than that: what is behind the last group reads as zeros. Before all but large groups
/// the zeros are written: a block that was only reserved has to be noted as written when it first is, which costs each
/// sync of a group as much again. Before large ones that would take longer than it saves. Threads: write() by one at a
/// time, sync() by any beside it. Borrows the Io.
class SegmentWriter {
 public:
  /// Makes the file and writes its header; neither file nor directory is synced. When it fails, there is no such file.
  /// Errors: exists; an errno of the host.
  static Result<std::unique_ptr<SegmentWriter>> create(base::Io& io, int directory, const std::string& name,
                                                       const SegmentHeader& header);
  /// Goes on in a file of `length` bytes.
  SegmentWriter(base::Io& io, base::unique_fd fd, std::uint64_t segment_id, std::uint64_t length) noexcept;

  [[nodiscard]] std::uint64_t segment_id() const noexcept { return segment_id_; }
  /// About `bytes` will soon be written at `offset`, so what they are to meet there may as well be on its way to the
  /// disk while they are put together. Of the same thread as write().
  void expect(std::uint64_t offset, std::uint64_t bytes) noexcept;
  /// Errors: an errno of pwrite. What stands behind `offset` may then be anything.
  Result<void> write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Errors: an errno of fdatasync.
  Result<void> sync();

  static constexpr std::uint64_t kLeastStep = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kMostStep = std::uint64_t{32} << 20;
  /// Zeros are written so far ahead at most, and before writes of up to this many bytes.
  static constexpr std::uint64_t kMostZeros = std::uint64_t{256} << 10;
  static constexpr std::size_t kMostSmall = std::size_t{128} << 10;
  /// Before smaller writes than that, few of which need new zeros, those are written when they are needed.
  static constexpr std::size_t kLeastExpected = std::size_t{16} << 10;

 private:
  void reserve(std::uint64_t end) noexcept;
  void fill(std::uint64_t end) noexcept;
  void write_zeros(std::uint64_t goal) noexcept;

  base::Io& io_;
  base::unique_fd fd_;
  std::uint64_t segment_id_;
  std::uint64_t allocated_;
};

}  // namespace packfs::log
