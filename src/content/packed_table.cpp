#include "content/packed_table.h"

#include <algorithm>

#include "base/bytes.h"
#include "content/corruption.h"

namespace packfs::content {
namespace {

constexpr std::uint32_t kLengthMask = (1U << 28) - 1;
constexpr unsigned kCodecShift = 28;

std::uint64_t blocks_in(std::uint64_t raw_length, unsigned block_log2) noexcept {
  return ((raw_length - 1) >> block_log2) + 1;
}

}  // namespace

Result<PackedTable> PackedTable::open(const Source& source, Region region, std::uint64_t location,
                                      std::uint64_t raw_length) {
  if (raw_length == 0 || raw_length > kMaxExtentBytes) return corrupt_at(location, "a packed content's raw length");
  if (!region.contains(location, sizeof(PackedHeader))) {
    return corrupt_at(location, "a packed content lies outside the file");
  }
  PackedTable table;
  table.region_ = region;
  table.location_ = location;
  table.raw_length_ = raw_length;
  // One read for header and table: as much as the smallest blocks would need, 12 KiB at most.
  const std::uint64_t most = sizeof(PackedHeader) + sizeof(PackedBlock) * blocks_in(raw_length, kMinBlockLog2);
  const auto bytes = source.at(location, std::min(most, region.end - location), table.scratch_);
  if (!bytes) return std::unexpected(bytes.error());

  const auto header = base::load_le<std::uint32_t>(bytes->data());
  const unsigned block_log2 = header & 0xFF;
  if (block_log2 < kMinBlockLog2 || block_log2 > kMaxBlockLog2) return corrupt_at(location, "a packed block size");
  if (header >> 8 != 0) return corrupt_at(location + 1, "a reserved field is not zero");
  const std::uint64_t table_bytes = sizeof(PackedBlock) * blocks_in(raw_length, block_log2);
  if (table_bytes > bytes->size() - sizeof(PackedHeader)) {
    return corrupt_at(location + sizeof(PackedHeader), "a packed content's table lies outside the file");
  }
  table.block_log2_ = block_log2;
  table.elements_ = bytes->subspan(sizeof(PackedHeader), table_bytes);
  table.position_ = location + sizeof(PackedHeader) + table_bytes;
  return table;
}

Result<PackedBlockPlace> PackedTable::next() {
  const std::uint64_t in_table = sizeof(PackedBlock) * (raw_begin_ >> block_log2_);
  const std::uint64_t element = location_ + sizeof(PackedHeader) + in_table;
  const auto codec_and_length = base::load_le<std::uint32_t>(elements_.data() + in_table);
  const std::uint64_t stored_length = codec_and_length & kLengthMask;
  PackedBlockPlace place;
  place.raw_begin = raw_begin_;
  place.raw_length = std::min(std::uint64_t{1} << block_log2_, raw_length_ - raw_begin_);
  place.codec = static_cast<BlockCodec>(codec_and_length >> kCodecShift);
  place.checksum = base::load_le<std::uint64_t>(elements_.data() + in_table + offsetof(PackedBlock, checksum));
  place.stored = {.offset = position_,
                  .length = stored_length,
                  .checksum_offset = element + offsetof(PackedBlock, checksum),
                  .seed = packed_block_seed(codec_and_length, block_log2_, place.raw_length)};
  if (stored_length == 0 || stored_length > place.raw_length ||
      (place.codec == BlockCodec::none && stored_length != place.raw_length)) {
    return corrupt_at(element, "a packed block's stored length");
  }
  if (!region_.contains(position_, stored_length)) return corrupt_at(element, "a packed block lies outside the file");
  raw_begin_ += place.raw_length;
  position_ += stored_length;
  return place;
}

}  // namespace packfs::content
