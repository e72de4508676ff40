#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pack/format.h"
#include "packfs/error.h"

namespace packfs::pack {

/// What a pack's footer says, checked against the file: every section lies between the log and the footer, in order and
/// apart from each other, and has the length its counts ask for. Nothing inside a section has been looked at.
struct Layout {
  struct Range {
    std::uint64_t offset = 0;  ///< in the file
    std::uint64_t length = 0;
  };
  std::array<std::uint8_t, 16> pack_id{};
  std::uint64_t total_length = 0;
  std::uint64_t log_end = 0;
  std::uint64_t segment_id = 0;
  std::uint64_t record_count = 0;
  std::uint64_t directory_count = 0;
  std::uint64_t entry_count = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t total_linked = 0;
  std::uint64_t next_inode = 0;
  std::uint64_t next_link_id = 0;
  std::uint64_t last_commit = 0;
  std::uint64_t hash_seed = 0;
  std::uint64_t hash_slots = 0;
  std::uint32_t max_probe = 0;
  std::uint64_t root_checksum = 0;
  std::array<Range, kSections> sections;

  [[nodiscard]] const Range& section(Section which) const noexcept {
    return sections[static_cast<std::size_t>(which) - 1];
  }
};

/// Pages of a section of `length` bytes.
[[nodiscard]] constexpr std::uint64_t pages_of(std::uint64_t length) noexcept {
  return length / kPageBytes + (length % kPageBytes != 0 ? 1 : 0);
}

/// Decodes the last 512 bytes of a file of `file_length` bytes whose header names `segment_id`.
/// Errors: corrupt with the offset of the field at fault; unsupported_version (a footer of another version, a
/// dictionary, dependencies).
[[nodiscard]] Result<Layout> decode_footer(std::span<const std::byte, sizeof(Footer)> bytes, std::uint64_t file_length,
                                           std::uint64_t segment_id);

}  // namespace packfs::pack
