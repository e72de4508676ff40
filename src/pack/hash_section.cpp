#include "pack/hash_section.h"

#include <algorithm>
#include <span>

#include "pack/format.h"
#include "pack/name_hash.h"

namespace packfs::pack {

namespace {

/// Hands out slots. Homes ascend with the hashes, so every slot between a home and the last one taken is taken too, and
/// the first free one follows at once.
class Slots {
 public:
  explicit Slots(std::uint64_t entries) noexcept : slots_(hash_slots(entries)) {}
  std::uint64_t home(std::uint64_t hash) const noexcept { return home_slot(hash, slots_); }
  std::uint64_t take(std::uint64_t home) noexcept {
    const std::uint64_t slot = std::max(home, free_);
    free_ = slot + 1;
    return slot;
  }

 private:
  std::uint64_t slots_;
  std::uint64_t free_ = 0;
};

}  // namespace

std::uint64_t hash_slots(std::uint64_t entries) noexcept { return entries + entries / 4 + 1; }

std::uint64_t place_hashes(HashedEntries& entries) {
  std::sort(entries.begin(), entries.end(), [](const HashedEntry& a, const HashedEntry& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.offset < b.offset;
  });
  Slots slots(entries.size());
  std::uint64_t greatest = 0;
  for (const HashedEntry& entry : entries) {
    const std::uint64_t home = slots.home(entry.hash);
    greatest = std::max(greatest, slots.take(home) - home);
  }
  return greatest;
}

Result<void> write_hash_section(const HashedEntries& entries, std::uint32_t max_probe, SectionWriter& sections) {
  const std::uint64_t count = hash_slots(entries.size()) + max_probe;
  if (auto begun = sections.begin(Section::hash, count * sizeof(Le64)); !begun) return begun;
  Slots slots(entries.size());
  std::uint64_t written = 0;
  for (const HashedEntry& entry : entries) {
    const std::uint64_t slot = slots.take(slots.home(entry.hash));
    if (auto empty = sections.append_zeros((slot - written) * sizeof(Le64)); !empty) return empty;
    Le64 value;
    value.set(make_slot(entry.hash, entry.offset));
    if (auto appended = sections.append(std::as_bytes(std::span(&value, 1))); !appended) return appended;
    written = slot + 1;
  }
  if (auto empty = sections.append_zeros((count - written) * sizeof(Le64)); !empty) return empty;
  return sections.end();
}

}  // namespace packfs::pack
