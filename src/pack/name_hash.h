#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/format.h"

// The hash section's arithmetic, docs/format.md 4.3.
namespace packfs::pack {

/// Hash of a name in a directory.
[[nodiscard]] inline std::uint64_t name_hash(std::uint64_t seed, std::uint64_t directory,
                                             std::string_view name) noexcept {
  return base::xxh3(base::as_bytes(name), seed + directory * log::kOffsetFactor);
}

/// The slot where the search for a hash begins, below `slots`. It grows with the hash.
[[nodiscard]] inline std::uint64_t home_slot(std::uint64_t hash, std::uint64_t slots) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{hash} * slots) >> 64);
}

inline constexpr unsigned kSlotOffsetBits = 40;
inline constexpr std::uint64_t kMaxSlotOffset = ((std::uint64_t{1} << kSlotOffsetBits) - 2) * 4;

[[nodiscard]] inline std::uint64_t hash_tag(std::uint64_t hash) noexcept {
  return hash & ((std::uint64_t{1} << (64 - kSlotOffsetBits)) - 1);
}
[[nodiscard]] inline std::uint64_t slot_tag(std::uint64_t slot) noexcept { return slot >> kSlotOffsetBits; }
/// Offset in section 2 of the entry a slot (not an empty one) points at.
[[nodiscard]] inline std::uint64_t slot_entry(std::uint64_t slot) noexcept {
  return ((slot & ((std::uint64_t{1} << kSlotOffsetBits) - 1)) - 1) * 4;
}
/// The slot for an entry at `entry_offset` (a multiple of 4, at most kMaxSlotOffset).
[[nodiscard]] inline std::uint64_t make_slot(std::uint64_t hash, std::uint64_t entry_offset) noexcept {
  return hash_tag(hash) << kSlotOffsetBits | (entry_offset / 4 + 1);
}

}  // namespace packfs::pack
