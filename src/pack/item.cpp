#include "pack/item.h"

#include <bit>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "pack/entry.h"

namespace packfs::pack {

namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

static_assert(kMaxItemBytes >= sizeof(EntryElement) + 5 * sizeof(std::uint64_t) + 255 + kEntryAlignment);

std::uint16_t presence_of(const Item& item) noexcept {
  std::uint32_t presence = 0;
  if (item.size > kMax32) presence |= kHasSize;
  if (item.mtime.seconds < 0 || static_cast<std::uint64_t>(item.mtime.seconds) > kMax32) presence |= kHasMtime;
  if (item.inode > kMax32) presence |= kHasInode;
  const bool longer_run = item.form == content::Form::run && item.stored_length > item.size;
  if (longer_run || item.form == content::Form::chained) presence |= kHasStoredLength;
  if (item.link_id != 0) presence |= kHasLinkId;
  if (item.xattrs) presence |= kHasXattrs;
  return static_cast<std::uint16_t>(presence);
}

std::size_t field_bytes(std::uint16_t presence) noexcept {
  return sizeof(std::uint64_t) * static_cast<std::size_t>(std::popcount(presence));
}

std::byte* put(std::byte* at, bool present, std::uint64_t value) noexcept {
  if (!present) return at;
  base::store_le<std::uint64_t>(at, value);
  return at + sizeof value;
}

}  // namespace

std::size_t item_bytes(const Item& item) noexcept {
  const std::size_t bytes = sizeof(EntryElement) + field_bytes(presence_of(item)) + item.name.size();
  return (bytes + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment;
}

void encode_item(const Item& item, std::byte* out) noexcept {
  const std::uint16_t presence = presence_of(item);
  EntryElement element{};
  element.name_length.set(static_cast<std::uint8_t>(item.name.size()));
  element.kind.set(static_cast<std::uint8_t>(static_cast<unsigned>(item.type) |
                                             static_cast<unsigned>(item.form) << kFormShift |
                                             (item.first_in_table ? kFirstInTable : 0U)));
  element.presence.set(presence);
  element.attribute_set.set(item.attribute_set);
  element.inode.set(static_cast<std::uint32_t>(item.inode & kMax32));
  element.mtime_nanoseconds.set(item.mtime.nanoseconds);
  const auto seconds = static_cast<std::uint64_t>(item.mtime.seconds);
  element.mtime_seconds.set((presence & kHasMtime) != 0 ? 0 : static_cast<std::uint32_t>(seconds));
  element.size.set((presence & kHasSize) != 0 ? 0 : static_cast<std::uint32_t>(item.size));
  element.location.set(item.location);
  std::memcpy(out, &element, sizeof element);

  std::byte* at = out + sizeof element;
  at = put(at, (presence & kHasSize) != 0, item.size);
  at = put(at, (presence & kHasMtime) != 0, seconds);
  at = put(at, (presence & kHasInode) != 0, item.inode);
  at = put(at, (presence & kHasStoredLength) != 0, item.stored_length);
  at = put(at, (presence & kHasLinkId) != 0, item.link_id);
  at = put(at, (presence & kHasXattrs) != 0, item.xattrs.value_or(0));
  item.name.copy(reinterpret_cast<char*>(at), item.name.size());
  at += item.name.size();
  std::memset(at, 0, static_cast<std::size_t>(out + item_bytes(item) - at));
}

Item decode_item(const std::byte* at) noexcept {
  const EntryRef entry = *EntryRef::at(at, kMaxItemBytes);
  Item item;
  item.name = entry.name();
  item.type = entry.type();
  item.form = entry.form();
  item.first_in_table = entry.is_first_in_table();
  item.attribute_set = entry.attribute_set();
  item.inode = entry.inode();
  item.mtime = entry.mtime();
  item.size = entry.size();
  item.stored_length = entry.extra_or_zero(kHasStoredLength);
  item.location = entry.location();
  item.link_id = entry.extra_or_zero(kHasLinkId);
  if (entry.has(kHasXattrs)) item.xattrs = entry.extra_or_zero(kHasXattrs);
  return item;
}

}  // namespace packfs::pack
