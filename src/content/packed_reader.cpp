#include "content/packed_reader.h"

#include <algorithm>
#include <cstring>

#include "content/corruption.h"

namespace packfs::content {

Result<std::size_t> PackedReader::read(const Stored& packed, std::uint64_t offset, std::span<std::byte> buffer) const {
  if (offset >= packed.size || buffer.empty()) return 0;
  auto table = PackedTable::open(source_, region_, packed.location, packed.size);
  if (!table) return std::unexpected(table.error());
  const std::size_t count = std::min<std::uint64_t>(buffer.size(), packed.size - offset);
  std::size_t done = 0;
  while (done < count) {
    const auto place = table->next();
    if (!place) return std::unexpected(place.error());
    const std::uint64_t at = offset + done;
    if (place->raw_begin + place->raw_length <= at) continue;
    const std::uint64_t from = at - place->raw_begin;
    const std::size_t part = std::min<std::uint64_t>(count - done, place->raw_length - from);
    if (auto copied = read_block(*place, from, buffer.subspan(done, part)); !copied) {
      return std::unexpected(copied.error());
    }
    done += part;
  }
  return count;
}

Result<void> PackedReader::read_block(const PackedBlockPlace& place, std::uint64_t from,
                                      std::span<std::byte> buffer) const {
  if (place.codec == BlockCodec::none) return blocks_.read(place.stored, from, buffer);
  const std::uint64_t key = place.stored.checksum_offset;
  const auto decoder = decoders_.take(key);
  if (!decoder) return std::unexpected(decoder.error());
  Decoder& mine = **decoder;
  // The same table element may be reached with another raw length; then it is another block.
  const bool held = mine.holds == key && mine.raw_length == place.raw_length;
  if (!held && buffer.size() == place.raw_length) return decode(place, mine, buffer);
  if (!held) {
    if (auto decoded = decode_into(place, mine); !decoded) return decoded;
  }
  std::memcpy(buffer.data(), mine.raw.data() + from, buffer.size());
  return {};
}

Result<void> PackedReader::decode_into(const PackedBlockPlace& place, Decoder& decoder) const {
  decoder.holds = Decoder::kNothing;
  if (!decoder.raw) decoder.raw = base::Buffer::try_make(kBlockBytes);
  if (!decoder.raw) return std::unexpected(ErrorCode::no_memory);
  auto decoded = decode(place, decoder, decoder.raw.span().first(place.raw_length));
  if (!decoded) return decoded;
  decoder.holds = place.stored.checksum_offset;
  decoder.raw_length = place.raw_length;
  return {};
}

Result<void> PackedReader::decode(const PackedBlockPlace& place, Decoder& decoder, std::span<std::byte> raw) const {
  const auto stored = blocks_.load(place.stored, place.checksum, decoder.scratch);
  if (!stored) return std::unexpected(stored.error());
  // Only now is the codec known to be what the writer meant.
  if (place.codec != BlockCodec::zstd) {
    return std::unexpected(
        Error(ErrorCode::unsupported_version).with_offset(place.stored.offset).with_note("a block's codec"));
  }
  if (!decoder.decompressor.decompress(*stored, raw)) {
    return corrupt_at(place.stored.offset, "a block does not decode to its raw length");
  }
  return {};
}

Result<void> PackedReader::verify(const Stored& packed) const {
  auto table = PackedTable::open(source_, region_, packed.location, packed.size);
  if (!table) return std::unexpected(table.error());
  const auto decoder = decoders_.take(Decoder::kNothing);
  if (!decoder) return std::unexpected(decoder.error());
  while (!table->at_end()) {
    const auto place = table->next();
    if (!place) return std::unexpected(place.error());
    if (place->codec != BlockCodec::none) {
      if (auto decoded = decode_into(*place, **decoder); !decoded) return decoded;
    } else if (auto good = blocks_.load(place->stored, place->checksum, (*decoder)->scratch); !good) {
      return std::unexpected(good.error());
    }
  }
  return {};
}

}  // namespace packfs::content
