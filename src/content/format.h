#pragma once

#include <cstddef>
#include <cstdint>

#include "base/le.h"

// How contents lie on disk; docs/format.md sections 2, 2.3 and 3 are the truth, a test holds the two together.
namespace packfs::content {

using base::Le24;
using base::Le32;
using base::Le64;
using base::Le8;

/// What the content of a record is.
enum class Form : std::uint8_t { none = 0, run = 1, packed = 2, chained = 3 };

enum class BlockCodec : std::uint8_t { none = 0, zstd = 1, zstd_dictionary = 2 };

inline constexpr std::uint64_t kBlockBytes = 262144;               ///< bytes under one checksum of a run's trailer
inline constexpr std::uint64_t kSourceLengthAbove = 1048576;       ///< longer runs carry a source length
inline constexpr std::uint64_t kSourceFailed = ~std::uint64_t{0};  ///< a source length: the put is void
inline constexpr std::uint64_t kMaxExtentBytes = 4194304;          ///< raw bytes of one extent
inline constexpr std::uint64_t kHoleBytes = 4096;                  ///< unit of holes
inline constexpr std::uint64_t kAlignContentFrom = 65536;          ///< contents this long start on kContentAlignment
inline constexpr std::uint64_t kContentAlignment = 4096;
inline constexpr std::uint64_t kMaxFileBytes = (std::uint64_t{1} << 63) - 1;
inline constexpr unsigned kMinBlockLog2 = 12;
inline constexpr unsigned kMaxBlockLog2 = 18;

struct ExtentMapElement {
  Le64 raw_offset;
  Le64 form_and_raw_length;
  Le64 content_offset;
};
static_assert(sizeof(ExtentMapElement) == 24);

struct PackedHeader {
  Le8 block_log2;
  Le24 reserved;
};
static_assert(sizeof(PackedHeader) == 4);

struct PackedBlock {
  Le32 codec_and_length;
  Le64 checksum;
};
static_assert(sizeof(PackedBlock) == 12);

/// Seed of a packed block's checksum: it covers all that says how the block's stored bytes are to be read.
[[nodiscard]] constexpr std::uint64_t packed_block_seed(std::uint32_t codec_and_length, unsigned block_log2,
                                                        std::uint64_t raw_length) noexcept {
  return (std::uint64_t{codec_and_length} << 32) + (std::uint64_t{block_log2} << 24) + raw_length;
}

/// Bytes of the trailer behind a run of `content_length` bytes (at most kMaxFileBytes).
[[nodiscard]] constexpr std::uint64_t run_trailer_bytes(std::uint64_t content_length) noexcept {
  const std::uint64_t blocks = content_length / kBlockBytes + (content_length % kBlockBytes != 0 ? 1 : 0);
  return 8 * blocks + (content_length > kSourceLengthAbove ? 8 : 0);
}

}  // namespace packfs::content
