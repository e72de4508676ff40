#pragma once

#include <cstdint>
#include <vector>

#include "base/alloc.h"
#include "pack/section_writer.h"
#include "packfs/error.h"

namespace packfs::pack {

/// An entry as the hash section sees it.
struct HashedEntry {
  std::uint64_t hash = 0;
  std::uint64_t offset = 0;  ///< in section 2
};
using HashedEntries = std::vector<HashedEntry, base::Allocator<HashedEntry>>;

/// Slots for that many entries, those of max_probe not among them (docs/format.md section 4.3).
[[nodiscard]] std::uint64_t hash_slots(std::uint64_t entries) noexcept;

/// Sorts the entries into the order they are placed in, and returns the greatest distance of one from its home.
[[nodiscard]] std::uint64_t place_hashes(HashedEntries& entries);

/// Writes the section for entries that place_hashes() gave `max_probe` for, at most kMaxProbe.
/// Errors: as SectionWriter.
[[nodiscard]] Result<void> write_hash_section(const HashedEntries& entries, std::uint32_t max_probe,
                                              SectionWriter& sections);

}  // namespace packfs::pack
