#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/le.h"

// File header and record header; docs/format.md sections 1 and 2 are the truth, a test holds the two together.
namespace packfs::log {

using base::Le24;
using base::Le32;
using base::Le64;
using base::Le8;

inline constexpr std::array<std::byte, 8> kHeaderMagic{std::byte{0x89}, std::byte{'P'},  std::byte{'F'},
                                                       std::byte{'S'},  std::byte{'\r'}, std::byte{'\n'},
                                                       std::byte{0x1A}, std::byte{'\n'}};
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint64_t kBuiltSegmentId = 0x5061636B46530001;
inline constexpr std::uint64_t kOffsetFactor = 0x9E3779B97F4A7C15;  ///< spreads offsets and directory numbers in seeds

struct FileHeader {
  std::array<std::byte, 8> magic;
  Le32 version;
  Le32 flags;
  Le64 segment_id;
  Le64 previous_segment;
  Le64 previous_cut;
  Le64 base_commit;
  Le64 reserved;
  Le64 checksum;
};
static_assert(sizeof(FileHeader) == 64);

struct RecordHeader {
  Le64 checksum;
  Le8 type;
  Le24 name_length;
  Le32 form_and_attributes_length;
  Le64 content_length;
  Le64 commit;
};
static_assert(sizeof(RecordHeader) == 32);

inline constexpr std::uint32_t kMaxNameBytes = 1048576;
inline constexpr std::uint32_t kMaxAttributesBytes = 64U << 20;
inline constexpr std::uint64_t kRecordAlignment = 8;

enum class RecordType : std::uint8_t {
  mkdir = 1,
  put = 2,
  symlink = 3,
  special = 4,
  link = 5,
  write = 6,
  truncate = 7,
  setattr = 8,
  xattr = 9,
  rename = 10,
  clone = 11,
  remove = 12,
  commit = 13,
  dictionary = 14,
  index = 15,
  extent = 16,
  extent_map = 17,
};

}  // namespace packfs::log
