#include "log/file_header.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/corruption.h"

namespace packfs::log {
namespace {

using FileHeaderBytes = std::array<std::byte, sizeof(FileHeader)>;

std::uint64_t checksum_of(const FileHeaderBytes& bytes) {
  return base::xxh3(std::span(bytes).first(offsetof(FileHeader, checksum)));
}

}  // namespace

FileHeaderBytes encode_file_header(const SegmentHeader& header) noexcept {
  FileHeader fields{};
  fields.magic = kHeaderMagic;
  fields.version.set(kFormatVersion);
  fields.segment_id.set(header.segment_id);
  fields.previous_segment.set(header.previous_segment);
  fields.previous_cut.set(header.previous_cut);
  fields.base_commit.set(header.base_commit);
  FileHeaderBytes bytes;
  std::memcpy(bytes.data(), &fields, sizeof fields);
  base::store_le(bytes.data() + offsetof(FileHeader, checksum), checksum_of(bytes));
  return bytes;
}

Result<SegmentHeader> decode_file_header(std::span<const std::byte> bytes) {
  constexpr std::size_t kVersionEnd = offsetof(FileHeader, version) + sizeof(FileHeader::version);
  FileHeaderBytes copy{};
  const std::size_t held = std::min(bytes.size(), copy.size());
  std::ranges::copy(bytes.first(held), copy.begin());
  FileHeader fields;
  std::memcpy(&fields, copy.data(), sizeof fields);

  if (held < kHeaderMagic.size() || fields.magic != kHeaderMagic) return std::unexpected(ErrorCode::not_a_pack);
  // 0 is no version, but what a header that was not written to its end has there.
  if (held >= kVersionEnd && fields.version.get() == 0) {
    return content::corrupt_at(offsetof(FileHeader, version), "the file header is cut off");
  }
  if (held >= kVersionEnd && fields.version.get() != kFormatVersion) {
    return std::unexpected(
        Error(ErrorCode::unsupported_version).with_offset(offsetof(FileHeader, version)).with_note("format version"));
  }
  if (held < sizeof(FileHeader)) return content::corrupt_at(held, "the file header is cut off");
  if (checksum_of(copy) != fields.checksum.get()) {
    return content::corrupt_at(offsetof(FileHeader, checksum), "the file header does not match its checksum");
  }
  if (fields.flags.get() != 0) return content::corrupt_at(offsetof(FileHeader, flags), "flags");
  if (fields.reserved.get() != 0) {
    return content::corrupt_at(offsetof(FileHeader, reserved), "a reserved field is not zero");
  }
  return SegmentHeader{.segment_id = fields.segment_id.get(),
                       .previous_segment = fields.previous_segment.get(),
                       .previous_cut = fields.previous_cut.get(),
                       .base_commit = fields.base_commit.get()};
}

}  // namespace packfs::log
