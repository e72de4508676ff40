#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/le.h"

// The manifest of a store; docs/format.md section 7 is the truth, a test holds the two together.
namespace packfs::store {

using base::Le32;
using base::Le64;

inline constexpr std::array<std::byte, 8> kManifestMagic{std::byte{0x89}, std::byte{'P'},  std::byte{'F'},
                                                         std::byte{'M'},  std::byte{'\r'}, std::byte{'\n'},
                                                         std::byte{0x1A}, std::byte{'\n'}};
inline constexpr std::uint32_t kManifestVersion = 1;

struct ManifestHeader {
  std::array<std::byte, 8> magic;
  Le32 version;
  Le32 segment_count;
  Le64 store_id;
  Le64 generation;
  Le64 created_seconds;
  Le32 created_nanoseconds;
  Le32 uid;
  Le32 gid;
  Le32 reserved;
  Le64 checksum;
};
static_assert(sizeof(ManifestHeader) == 64);

struct SegmentElement {
  Le64 segment_id;
  Le64 end;
  Le64 base_commit;
  Le64 reserved;
};
static_assert(sizeof(SegmentElement) == 32);

}  // namespace packfs::store
