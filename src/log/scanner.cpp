#include "log/scanner.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "content/corruption.h"

namespace packfs::log {

Result<std::optional<ScannedRecord>> Scanner::next() {
  if (failed_) return std::unexpected(*failed_);
  if (position_ == end_) return std::nullopt;
  auto scanned = scan();
  if (!scanned) {
    failed_ = scanned.error();
    return std::unexpected(std::move(scanned.error()));
  }
  position_ = scanned->extent.next;
  return std::optional(std::move(*scanned));
}

Result<ScannedRecord> Scanner::scan() {
  const auto bytes = head();
  if (!bytes) return std::unexpected(bytes.error());
  auto record = decode_head(*bytes, segment_id_, position_);
  if (!record) return std::unexpected(std::move(record.error()));
  const auto extent = record_extent(*record, position_, bytes->size());
  if (!extent) return std::unexpected(extent.error());
  if (extent->next > end_) return content::corrupt_at(position_, "a record reaches beyond the end of the log");

  const std::uint64_t trailer =
      record->form == content::Form::run ? content::run_trailer_bytes(record->content_length) : 0;
  if (auto zeros = check_zeros(position_ + bytes->size(), extent->content_begin); !zeros) {
    return std::unexpected(std::move(zeros.error()));
  }
  if (auto zeros = check_zeros(extent->content_end + trailer, extent->next); !zeros) {
    return std::unexpected(std::move(zeros.error()));
  }
  return ScannedRecord{.record = std::move(*record),
                       .offset = position_,
                       .head_bytes = bytes->size(),
                       .head_checksum = base::load_le<std::uint64_t>(bytes->data()),
                       .extent = *extent};
}

// The head at position_, its length checked before memory is given to it.
Result<std::span<const std::byte>> Scanner::head() {
  std::array<std::byte, sizeof(RecordHeader)> fixed;
  if (!base::range_fits(position_, fixed.size(), end_)) return content::corrupt_at(position_, "a record is cut off");
  if (auto copied = source_.copy(position_, fixed); !copied) return std::unexpected(std::move(copied.error()));
  const auto lengths = peek_head(fixed, position_);
  if (!lengths) return std::unexpected(lengths.error());
  if (!base::range_fits(position_, lengths->head_bytes, end_)) {
    return content::corrupt_at(position_, "a record's head reaches beyond the end of the log");
  }
  // A copy: another process may be writing here, and what is checked must be what is used.
  return source_.copy(position_, lengths->head_bytes, scratch_);
}

Result<void> Scanner::check_zeros(std::uint64_t begin, std::uint64_t end) const {
  std::array<std::byte, content::kContentAlignment> padding;
  const auto bytes = std::span(padding).first(end - begin);
  if (auto copied = source_.copy(begin, bytes); !copied) return copied;
  const auto stray = std::ranges::find_if(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  if (stray == bytes.end()) return {};
  return content::corrupt_at(begin + static_cast<std::uint64_t>(stray - bytes.begin()), "padding is not zero");
}

}  // namespace packfs::log
