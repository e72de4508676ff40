#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/alloc.h"
#include "content/source.h"
#include "log/record.h"
#include "packfs/error.h"

namespace packfs::log {

/// A record where it stands in a file. `record`'s views are valid until the scanner's next call.
struct ScannedRecord {
  Record record;
  std::uint64_t offset = 0;
  std::uint64_t head_bytes = 0;
  std::uint64_t head_checksum = 0;
  RecordExtent extent;
};

/// Walks the records of a file one after another, checking heads, ranges and padding; contents it leaves alone. It
/// goes forward only and needs memory for one head at a time, at most what lies before `end`. Borrows the source. One
/// thread at a time.
class Scanner {
 public:
  /// `begin` is a multiple of 8; records must lie in [begin, end).
  Scanner(const content::Source& source, std::uint64_t segment_id, std::uint64_t begin, std::uint64_t end) noexcept
      : source_(source), segment_id_(segment_id), position_(begin), end_(end) {}

  /// The next record; nothing at the end. An error is returned again by every later call.
  /// Errors: corrupt (the offset of the record, or of a byte of padding that is not zero); unsupported_version;
  /// no_memory; an errno of pread.
  [[nodiscard]] Result<std::optional<ScannedRecord>> next();

  /// Where the next record begins.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  Result<ScannedRecord> scan();
  Result<std::span<const std::byte>> head();
  Result<void> check_zeros(std::uint64_t begin, std::uint64_t end) const;

  const content::Source& source_;
  std::uint64_t segment_id_;
  std::uint64_t position_;
  std::uint64_t end_;
  base::Buffer scratch_;
  std::optional<Error> failed_;
};

}  // namespace packfs::log
