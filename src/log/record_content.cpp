#include "log/record_content.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "content/corruption.h"
#include "content/packed_table.h"

namespace packfs::log {
namespace {

using content::Form;

Result<content::PackedTable> open_table(const content::Source& source, const ScannedRecord& scanned) {
  const content::Region region{scanned.extent.content_begin, scanned.extent.content_end};
  return content::PackedTable::open(source, region, scanned.extent.content_begin, scanned.record.size);
}

/// The source length as it stands in a run's trailer; the run's own length where it has none.
Result<std::uint64_t> stated_length(const content::Source& source, const ScannedRecord& scanned) {
  const std::uint64_t length = scanned.record.content_length;
  if (length <= content::kSourceLengthAbove) return length;
  const std::uint64_t at = scanned.extent.content_end + content::run_trailer_bytes(length) - sizeof(base::Le64);
  std::array<std::byte, sizeof(base::Le64)> bytes;
  if (auto copied = source.copy(at, bytes); !copied) return std::unexpected(std::move(copied.error()));
  return base::load_le<std::uint64_t>(bytes.data());
}

Result<std::uint64_t> source_length(const content::Source& source, const ScannedRecord& scanned) {
  const std::uint64_t length = scanned.record.content_length;
  const auto read = stated_length(source, scanned);
  if (!read) return read;
  const std::uint64_t stated = *read;
  const std::uint64_t at = scanned.extent.content_end + content::run_trailer_bytes(length) - sizeof(base::Le64);
  if (stated > length) return content::corrupt_at(at, "a source length greater than its run");
  // Only a file's bytes may come from something that shrinks.
  if (stated != length && scanned.record.type != RecordType::put) {
    return content::corrupt_at(at, "a source length less than its run");
  }
  return stated;
}

Result<void> check_filled(const content::Source& source, const ScannedRecord& scanned) {
  auto table = open_table(source, scanned);
  if (!table) return std::unexpected(std::move(table.error()));
  while (!table->at_end()) {
    if (auto block = table->next(); !block) return std::unexpected(std::move(block.error()));
  }
  if (table->position() == scanned.extent.content_end) return {};
  return content::corrupt_at(table->position(), "packed content does not fill its record");
}

Result<void> add_trailer(const content::Source& source, const ScannedRecord& scanned, base::Xxh3Stream128& checksums) {
  std::array<std::byte, 4096> buffer;
  std::uint64_t left = content::run_trailer_bytes(scanned.record.content_length);
  for (std::uint64_t at = scanned.extent.content_end; left != 0;) {
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(left, buffer.size()));
    if (auto copied = source.copy(at, part); !copied) return copied;
    checksums.update(part);
    at += part.size();
    left -= part.size();
  }
  return {};
}

}  // namespace

Result<content::Stored> stored_content(const content::Source& source, const ScannedRecord& scanned) {
  content::Stored stored{.form = scanned.record.form,
                         .size = scanned.record.size,
                         .location = scanned.extent.content_begin,
                         .stored_length = scanned.record.content_length};
  if (stored.form == Form::packed) return stored;
  if (stored.form != Form::run) return content::Stored{};
  const auto length = source_length(source, scanned);
  if (!length) return std::unexpected(length.error());
  stored.size = *length;
  return stored;
}

Result<bool> is_void(const content::Source& source, const ScannedRecord& scanned) {
  if (scanned.record.type != RecordType::put || scanned.record.form != Form::run) return false;
  const auto stated = stated_length(source, scanned);
  if (!stated) return std::unexpected(stated.error());
  return *stated == content::kSourceFailed;
}

Result<void> verify_content(const content::Source& source, const content::StoredReader& reader,
                            const ScannedRecord& scanned) {
  const auto stored = stored_content(source, scanned);
  if (!stored) return std::unexpected(stored.error());
  if (stored->form == Form::packed) {
    if (auto filled = check_filled(source, scanned); !filled) return filled;
  }
  return reader.verify(*stored);
}

Result<void> add_to_pack_id(const content::Source& source, const ScannedRecord& scanned,
                            base::Xxh3Stream128& checksums) {
  checksums.update_u64(scanned.head_checksum);
  if (scanned.record.form == Form::run) return add_trailer(source, scanned, checksums);
  if (scanned.record.form != Form::packed) return {};
  auto table = open_table(source, scanned);
  if (!table) return std::unexpected(std::move(table.error()));
  while (!table->at_end()) {
    const auto block = table->next();
    if (!block) return std::unexpected(block.error());
    checksums.update_u64(block->checksum);
  }
  return {};
}

}  // namespace packfs::log
