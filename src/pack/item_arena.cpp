#include "pack/item_arena.h"

#include "base/bytes.h"
#include "pack/name_hash.h"

namespace packfs::pack {

namespace {

// Before each encoded entry stands the number of its directory, and the mark.
constexpr std::size_t kPrefixBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kMark = std::uint32_t{1} << 31;
static_assert(ItemArena::kMaxDirectory < kMark);

}  // namespace

// A reference counts in units of 4 bytes, which every entry begins at, so that 40 bits of it reach far.
std::byte* ItemArena::at(ItemRef ref) const noexcept {
  const std::uint64_t position = static_cast<std::uint64_t>(ref) * kEntryAlignment;
  return chunks_[position / kChunkBytes].data() + position % kChunkBytes;
}

ItemRef ItemArena::add(const Item& item) {
  const std::size_t bytes = kPrefixBytes + item_bytes(item);
  if (bytes > kChunkBytes - filled_) {
    chunks_.emplace_back(kChunkBytes);
    filled_ = 0;
  }
  const std::uint64_t position = (chunks_.size() - 1) * kChunkBytes + filled_;
  const auto ref = static_cast<ItemRef>(position / kEntryAlignment);
  base::store_le<std::uint32_t>(at(ref), static_cast<std::uint32_t>(item.directory));
  encode_item(item, at(ref) + kPrefixBytes);
  filled_ += bytes;
  return ref;
}

Item ItemArena::get(ItemRef ref) const noexcept {
  Item item = decode_item(at(ref) + kPrefixBytes);
  item.directory = directory(ref);
  return item;
}

std::string_view ItemArena::name(ItemRef ref) const noexcept { return decode_item(at(ref) + kPrefixBytes).name; }

std::uint64_t ItemArena::directory(ItemRef ref) const noexcept {
  return base::load_le<std::uint32_t>(at(ref)) & ~kMark;
}

std::uint64_t ItemArena::hash(ItemRef ref, std::uint64_t seed) const noexcept {
  return name_hash(seed, directory(ref), name(ref));
}

void ItemArena::mark(ItemRef ref) noexcept {
  base::store_le<std::uint32_t>(at(ref), base::load_le<std::uint32_t>(at(ref)) | kMark);
}

bool ItemArena::marked(ItemRef ref) const noexcept { return (base::load_le<std::uint32_t>(at(ref)) & kMark) != 0; }

}  // namespace packfs::pack
