#include "pack/log_writer.h"

#include "content/encode.h"
#include "content/format.h"
#include "log/file_header.h"
#include "log/format.h"

namespace packfs::pack {

namespace {

/// The block checksums of a packed extent (docs/format.md section 3), as they stand in its table.
void feed_packed(base::Xxh3Stream128& checksums, std::span<const std::byte> content, std::uint64_t raw_length) {
  const std::uint64_t block = std::uint64_t{1} << std::to_integer<unsigned>(content[0]);
  const std::uint64_t blocks = raw_length / block + (raw_length % block != 0 ? 1 : 0);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t element = sizeof(content::PackedHeader) + i * sizeof(content::PackedBlock);
    checksums.update(content.subspan(element + offsetof(content::PackedBlock, checksum), sizeof(base::Le64)));
  }
}

}  // namespace

Result<void> LogWriter::write_file_header() { return output_.write(log::encode_file_header({})); }

Result<std::uint64_t> LogWriter::write_head(const log::Record& record) {
  const std::uint64_t offset = output_.offset();
  head_.clear();
  if (auto encoded = log::encode_head(record, log::kBuiltSegmentId, offset, head_); !encoded) {
    return std::unexpected(encoded.error());
  }
  const auto extent = log::record_extent(record, offset, head_.size());
  if (!extent) return std::unexpected(Error(ErrorCode::too_large));
  if (auto written = output_.write(head_); !written) return std::unexpected(written.error());
  if (auto aligned = output_.write_zeros(extent->content_begin - output_.offset()); !aligned) {
    return std::unexpected(aligned.error());
  }
  checksums_.update(std::span(head_).first(sizeof(base::Le64)));
  ++records_;
  return extent->content_begin;
}

Result<void> LogWriter::pad() {
  const std::uint64_t end = output_.offset();
  return output_.write_zeros((log::kRecordAlignment - end % log::kRecordAlignment) % log::kRecordAlignment);
}

Result<void> LogWriter::append(log::Record& record) {
  record.content_length = 0;
  if (record.form != content::Form::chained) record.form = content::Form::none;
  if (auto head = write_head(record); !head) return std::unexpected(head.error());
  return pad();
}

Result<std::uint64_t> LogWriter::append_run(log::Record& record, std::span<const std::byte> content) {
  record.form = content::Form::run;
  record.content_length = content.size();
  auto begin = write_head(record);
  if (!begin) return begin;
  if (auto written = output_.write(content); !written) return std::unexpected(written.error());
  trailer_bytes_.clear();
  content::append_run_trailer(content, trailer_bytes_);
  if (auto ended = write_trailer(); !ended) return std::unexpected(ended.error());
  return begin;
}

Result<std::uint64_t> LogWriter::append_packed(log::Record& record, std::span<const std::byte> content) {
  record.form = content::Form::packed;
  record.content_length = content.size();
  auto begin = write_head(record);
  if (!begin) return begin;
  if (auto written = output_.write(content); !written) return std::unexpected(written.error());
  feed_packed(checksums_, content, record.size);
  if (auto padded = pad(); !padded) return std::unexpected(padded.error());
  return begin;
}

Result<std::uint64_t> LogWriter::begin_run(log::Record& record, std::uint64_t length) {
  record.form = content::Form::run;
  record.content_length = length;
  return write_head(record);
}

Result<void> LogWriter::add_to_run(std::span<const std::byte> bytes) {
  trailer_.update(bytes);
  return output_.write(bytes);
}

Result<void> LogWriter::end_run(std::uint64_t source_length) {
  trailer_bytes_.clear();
  trailer_.finish(source_length, trailer_bytes_);
  return write_trailer();
}

Result<void> LogWriter::write_trailer() {
  checksums_.update(trailer_bytes_);
  if (auto written = output_.write(trailer_bytes_); !written) return written;
  return pad();
}

}  // namespace packfs::pack
