#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "log/format.h"
#include "packfs/error.h"

namespace packfs::log {

/// What the first 64 bytes of a pack or segment say (docs/format.md section 1).
struct SegmentHeader {
  std::uint64_t segment_id = kBuiltSegmentId;
  std::uint64_t previous_segment = 0;  ///< 0, or the segment this one continues
  std::uint64_t previous_cut = 0;      ///< 0, or where that one was cut
  std::uint64_t base_commit = 0;       ///< 0, or the last commit before this segment
};

[[nodiscard]] std::array<std::byte, sizeof(FileHeader)> encode_file_header(const SegmentHeader& header) noexcept;

/// `bytes` are the file's first ones, all of them when it has fewer than 64.
/// Errors: not_a_pack (another magic, or no room for it); unsupported_version; corrupt, with the offset.
[[nodiscard]] Result<SegmentHeader> decode_file_header(std::span<const std::byte> bytes);

}  // namespace packfs::log
