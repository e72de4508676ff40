#include "log/segment_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/io_loops.h"

namespace packfs::log {

SegmentWriter::SegmentWriter(base::Io& io, base::unique_fd fd, std::uint64_t segment_id, std::uint64_t length) noexcept
    : io_(io), fd_(std::move(fd)), segment_id_(segment_id), allocated_(length) {}

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::create(base::Io& io, int directory, const std::string& name,
                                                             const SegmentHeader& header) {
  const auto opened = base::checked(io.openat(directory, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!opened) return std::unexpected(opened.error());
  auto writer = std::make_unique<SegmentWriter>(io, base::unique_fd(io, *opened), header.segment_id, 0);
  const auto bytes = encode_file_header(header);
  if (auto written = writer->write(0, bytes); !written) {
    io.unlinkat(directory, name.c_str(), 0);
    return std::unexpected(std::move(written.error()));
  }
  return writer;
}

// Where there is no room for as much, or no such call, writing finds out whether there is any.

/// Reserves room behind `end`.
void SegmentWriter::reserve(std::uint64_t end) noexcept {
  const std::uint64_t step = std::max(std::clamp(allocated_, kLeastStep, kMostStep), end - allocated_);
  const bool is_there = io_.fallocate(fd_.get(), 0, static_cast<off_t>(allocated_), static_cast<off_t>(step)) == 0;
  allocated_ = is_there ? allocated_ + step : end;
}

/// Up to `goal`.
void SegmentWriter::write_zeros(std::uint64_t goal) noexcept {
  static constexpr std::array<std::byte, kLeastStep> kZeros{};
  while (allocated_ < goal) {
    const auto piece = std::span(kZeros).first(std::min<std::uint64_t>(kZeros.size(), goal - allocated_));
    if (!base::pwrite_fully(io_, fd_.get(), piece, allocated_)) return;
    allocated_ += piece.size();
  }
}

/// Writes zeros behind `end`.
void SegmentWriter::fill(std::uint64_t end) noexcept {
  const std::uint64_t goal = allocated_ + std::clamp(allocated_, kLeastStep, kMostZeros);
  allocated_ = end;
  write_zeros(goal);
}

void SegmentWriter::expect(std::uint64_t offset, std::uint64_t bytes) noexcept {
  // Groups that follow each other differ a little.
  if (bytes < kLeastExpected || bytes > kMostSmall || offset + bytes + bytes / 4 <= allocated_) return;
  const std::uint64_t begin = allocated_;
  write_zeros(std::max(begin, offset) + kMostZeros);
  // Only begins to write. That alone takes no note of an error away from the sync that is to report it.
  io_.sync_file_range(fd_.get(), static_cast<off_t>(begin), static_cast<off_t>(allocated_ - begin));
}

Result<void> SegmentWriter::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::uint64_t end = offset + bytes.size();
  if (end > allocated_) bytes.size() <= kMostSmall ? fill(end) : reserve(end);
  return base::pwrite_fully(io_, fd_.get(), bytes, offset);
}

Result<void> SegmentWriter::sync() {
  const auto synced = base::checked(io_.fdatasync(fd_.get()));
  if (!synced) return std::unexpected(synced.error());
  return {};
}

}  // namespace packfs::log
