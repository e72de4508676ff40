#include "pack/name_set.h"

#include <algorithm>
#include <bit>

#include "pack/name_hash.h"

namespace packfs::pack {

namespace {

constexpr unsigned kRefBits = 40;
constexpr std::uint64_t kRefMask = (std::uint64_t{1} << kRefBits) - 1;
constexpr std::uint64_t kMinSlots = 64;

std::uint64_t tag(std::uint64_t hash) noexcept { return hash & ~kRefMask; }
ItemRef ref_of(std::uint64_t slot) noexcept { return static_cast<ItemRef>((slot & kRefMask) - 1); }

}  // namespace

void NameSet::reserve(std::uint64_t count) {
  const std::uint64_t slots = std::bit_ceil(std::max(kMinSlots, count + count / 3 + 1));
  if (slots > slots_.size()) grow(slots);
}

void NameSet::grow(std::uint64_t slots) {
  std::vector<std::uint64_t, base::Allocator<std::uint64_t>> old(slots, 0);
  old.swap(slots_);
  for (const std::uint64_t slot : old) {
    if (slot != 0) place(arena_.hash(ref_of(slot), seed_), ref_of(slot));
  }
}

void NameSet::place(std::uint64_t hash, ItemRef ref) noexcept {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t at = hash & mask;
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = tag(hash) | (static_cast<std::uint64_t>(ref) + 1);
}

void NameSet::insert(ItemRef ref) {
  reserve(count_ + 1);
  place(arena_.hash(ref, seed_), ref);
  ++count_;
}

std::optional<ItemRef> NameSet::find(std::uint64_t directory, std::string_view name) const noexcept {
  if (slots_.empty()) return std::nullopt;
  const std::uint64_t hash = name_hash(seed_, directory, name);
  const std::uint64_t mask = slots_.size() - 1;
  for (std::uint64_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if (tag(slots_[at]) != tag(hash)) continue;
    const ItemRef ref = ref_of(slots_[at]);
    if (arena_.directory(ref) == directory && arena_.name(ref) == name) return ref;
  }
  return std::nullopt;
}

}  // namespace packfs::pack
