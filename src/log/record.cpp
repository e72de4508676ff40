#include "log/record.h"

#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/corruption.h"
#include "log/attributes.h"
#include "log/record_rules.h"

namespace packfs::log {
namespace {

constexpr unsigned kFormShift = 28;
constexpr std::uint32_t kAttributesMask = (1U << kFormShift) - 1;

std::uint64_t head_checksum(std::span<const std::byte> head, std::uint64_t segment_id, std::uint64_t offset) {
  return base::xxh3(head.subspan(sizeof(RecordHeader::checksum)), segment_id + offset * kOffsetFactor);
}

std::unexpected<Error> unsupported(std::uint64_t offset, std::string_view note) {
  return std::unexpected(Error(ErrorCode::unsupported_version).with_offset(offset).with_note(note));
}

// Whether the version that wrote a head knew more types, forms or fields than this one.
bool is_known_type(std::uint8_t type) noexcept { return type >= 1 && type <= kMaxTypes; }
bool is_known_form(content::Form form) noexcept { return form <= content::Form::chained; }

}  // namespace

Result<void> encode_head(const Record& record, std::uint64_t segment_id, std::uint64_t offset,
                         std::vector<std::byte>& out) {
  if (!is_known_type(static_cast<std::uint8_t>(record.type)) || !is_known_form(record.form) ||
      (record.fields & ~kKnownFields) != 0) {
    return std::unexpected(ErrorCode::invalid);
  }
  if (const auto broken = broken_rule(record)) return std::unexpected(Error(ErrorCode::invalid).with_note(*broken));

  const std::size_t begin = out.size();
  out.resize(begin + sizeof(RecordHeader));
  const auto name = base::as_bytes(record.name);
  out.insert(out.end(), name.begin(), name.end());
  encode_attributes(record, out);
  const std::size_t attributes_length = out.size() - begin - sizeof(RecordHeader) - name.size();
  if (attributes_length > kMaxAttributesBytes) {
    out.resize(begin);
    return std::unexpected(Error(ErrorCode::invalid).with_note("attributes too long"));
  }
  RecordHeader header;
  header.type.set(static_cast<std::uint8_t>(record.type));
  header.name_length.set(static_cast<std::uint32_t>(name.size()));
  header.form_and_attributes_length.set((static_cast<std::uint32_t>(record.form) << kFormShift) |
                                        static_cast<std::uint32_t>(attributes_length));
  header.content_length.set(record.content_length);
  header.commit.set(record.commit);
  const auto head = std::span(out).subspan(begin);
  std::memcpy(head.data(), &header, sizeof header);
  base::store_le(head.data(), head_checksum(head, segment_id, offset));
  return {};
}

Result<HeadLengths> peek_head(std::span<const std::byte, sizeof(RecordHeader)> fixed, std::uint64_t offset) {
  RecordHeader header;
  std::memcpy(&header, fixed.data(), sizeof header);
  const std::uint64_t name_length = header.name_length.get();
  const std::uint64_t attributes_length = header.form_and_attributes_length.get() & kAttributesMask;
  if (name_length > kMaxNameBytes) return content::corrupt_at(offset, "a record's name length");
  if (attributes_length > kMaxAttributesBytes) return content::corrupt_at(offset, "a record's attributes length");
  if (header.content_length.get() > content::kMaxFileBytes) {
    return content::corrupt_at(offset, "a record's content length");
  }
  return HeadLengths{.head_bytes = sizeof(RecordHeader) + name_length + attributes_length};
}

Result<Record> decode_head(std::span<const std::byte> head, std::uint64_t segment_id, std::uint64_t offset) {
  if (head.size() < sizeof(RecordHeader)) return content::corrupt_at(offset, "a record is cut off");
  const auto lengths = peek_head(head.first<sizeof(RecordHeader)>(), offset);
  if (!lengths) return std::unexpected(lengths.error());
  if (lengths->head_bytes != head.size()) return content::corrupt_at(offset, "a record's head has another length");
  RecordHeader header;
  std::memcpy(&header, head.data(), sizeof header);
  if (head_checksum(head, segment_id, offset) != header.checksum.get()) {
    return content::corrupt_at(offset, "a record's head does not match its checksum");
  }
  if (!is_known_type(header.type.get())) return unsupported(offset, "a record's type");
  const std::uint32_t name_length = header.name_length.get();
  Record record;
  record.type = static_cast<RecordType>(header.type.get());
  record.form = static_cast<content::Form>(header.form_and_attributes_length.get() >> kFormShift);
  record.name = base::as_text(head.subspan(sizeof header, name_length));
  record.content_length = header.content_length.get();
  record.commit = header.commit.get();
  if (!is_known_form(record.form)) return unsupported(offset, "a record's form");
  if (const auto decoded = decode_attributes(head.subspan(sizeof header + name_length), record); !decoded) {
    if (decoded.error() == BadAttributes::unknown_field) return unsupported(offset, "a record's field");
    return content::corrupt_at(offset, "a record's attributes");
  }
  if (const auto broken = broken_rule(record)) return content::corrupt_at(offset, *broken);
  return record;
}

Result<RecordExtent> record_extent(const Record& record, std::uint64_t offset, std::uint64_t head_bytes) {
  const auto too_far = [&] { return content::corrupt_at(offset, "a record reaches beyond the greatest offset"); };
  constexpr std::uint64_t kLimit = content::kMaxFileBytes;
  const std::uint64_t length = record.content_length;
  if (!base::range_fits(offset, head_bytes, kLimit) || length > kLimit) return too_far();
  RecordExtent extent;
  extent.content_begin = offset + head_bytes;
  if (length >= content::kAlignContentFrom) {
    extent.content_begin = *base::align_up(extent.content_begin, content::kContentAlignment);
  }
  const std::uint64_t trailer = record.form == content::Form::run ? content::run_trailer_bytes(length) : 0;
  // The sum of two values below 2^63 fits; the trailer is far shorter than its content.
  if (!base::range_fits(extent.content_begin, length + trailer, kLimit)) return too_far();
  extent.content_end = extent.content_begin + length;
  extent.next = *base::align_up(extent.content_end + trailer, kRecordAlignment);
  if (extent.next > kLimit) return too_far();
  return extent;
}

}  // namespace packfs::log
