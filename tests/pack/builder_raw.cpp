#include "pack/builder_raw.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/bytes.h"
#include "base/hash.h"

namespace packfs::testing {

namespace {

using base::load_le;

constexpr std::uint64_t kSegment = 0x5061636B46530001;

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

RawEntry entry_at(std::span<const std::byte> page, std::uint64_t at) {
  pack::EntryElement element;
  std::memcpy(&element, page.data() + at, sizeof element);
  RawEntry entry;
  const unsigned presence = element.presence.get();
  if ((presence & ~0x9FU) != 0) throw std::runtime_error("presence that a built pack's entry does not have");
  std::uint64_t field = at + sizeof element;
  const auto next = [&](unsigned bit, std::uint64_t otherwise) {
    if ((presence & bit) == 0) return otherwise;
    const auto value = load_le<std::uint64_t>(page.data() + field);
    field += 8;
    return value;
  };
  entry.type = element.kind.get() & 15U;
  entry.form = (element.kind.get() >> 4U) & 3U;
  entry.first_in_table = (element.kind.get() & 0x40U) != 0;
  if ((element.kind.get() & 0x80U) != 0) throw std::runtime_error("bit 7 of kind");
  entry.attribute_set = element.attribute_set.get();
  entry.location = element.location.get();
  entry.size = next(1, element.size.get());
  next(2, 0);
  entry.inode = next(4, element.inode.get());
  entry.stored_length = next(8, 0);
  entry.link_id = next(16, 0);
  entry.xattrs = next(128, 0);
  entry.has_stored_length = (presence & 8U) != 0;
  entry.has_xattrs = (presence & 128U) != 0;
  entry.name.assign(reinterpret_cast<const char*>(page.data()) + field, element.name_length.get());
  field += element.name_length.get();
  entry.bytes = round_up(field, 4) - at;
  if (!all_zero(page.subspan(field, at + entry.bytes - field))) throw std::runtime_error("padding of an entry");
  return entry;
}

}  // namespace

RawPack::RawPack(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  if (bytes_.size() < 64 + sizeof footer_) throw std::runtime_error("too short for a pack");
  std::memcpy(&footer_, bytes_.data() + bytes_.size() - sizeof footer_, sizeof footer_);
}

std::span<const std::byte> RawPack::section(pack::Section which) const {
  const auto& range = footer_.sections[static_cast<std::size_t>(which) - 1];
  return std::span(bytes_).subspan(range.offset.get(), range.length.get());
}

RawRecord RawPack::record_at(std::uint64_t offset) const {
  const std::byte* at = bytes_.data() + offset;
  RawRecord record;
  record.offset = offset;
  record.type = std::to_integer<unsigned>(at[8]);
  const std::uint64_t name_length = load_le<std::uint32_t>(at + 8) >> 8U;
  const auto form_and_attributes = load_le<std::uint32_t>(at + 12);
  record.form = form_and_attributes >> 28U;
  record.content_length = load_le<std::uint64_t>(at + 16);
  record.name = {reinterpret_cast<const char*>(at) + 32, name_length};
  const std::uint64_t head = 32 + name_length + (form_and_attributes & 0x0FFFFFFFU);
  record.content = record.content_length >= 65536 ? round_up(offset + head, 4096) : offset + head;
  if (record.form == 1) {
    record.trailer_length = 8 * round_up(record.content_length, 262144) / 262144;
    if (record.content_length > 1048576) record.trailer_length += 8;
  }
  const std::uint64_t end = record.content + record.content_length + record.trailer_length;
  record.next = round_up(end, 8);
  const auto all = std::span<const std::byte>(bytes_);
  record.is_sound =
      offset % 8 == 0 && load_le<std::uint64_t>(at + 24) == 0 &&
      load_le<std::uint64_t>(at) == base::xxh3(all.subspan(offset + 8, head - 8), kSegment + offset * kFactor) &&
      all_zero(all.subspan(offset + head, record.content - offset - head)) &&
      all_zero(all.subspan(end, record.next - end));
  return record;
}

std::vector<RawRecord> RawPack::records(std::uint64_t begin, std::uint64_t end) const {
  std::vector<RawRecord> found;
  while (begin < end) {
    found.push_back(record_at(begin));
    begin = found.back().next;
  }
  if (begin != end) throw std::runtime_error("a record crosses the end");
  return found;
}

std::vector<RawEntry> RawPack::entries() const {
  const auto all = section(pack::Section::entries);
  std::vector<RawEntry> found;
  for (std::uint64_t begin = 0; begin < all.size(); begin += 16384) {
    const auto page = all.subspan(begin, std::min<std::uint64_t>(16384, all.size() - begin));
    std::uint64_t at = 0;
    while (at < page.size() && page[at + 1] != std::byte{0}) {
      found.push_back(entry_at(page, at));
      found.back().offset = begin + at;
      at += found.back().bytes;
    }
    if (at == 0) throw std::runtime_error("a page that begins with no entry");
    if (!all_zero(page.subspan(at))) throw std::runtime_error("the fill of a page");
    if (at < page.size() && begin + page.size() == all.size()) throw std::runtime_error("the last page is filled");
  }
  return found;
}

}  // namespace packfs::testing
