#pragma once

#include <cstdint>

namespace packfs::content {

/// Bytes of a source that lie under one checksum. Both ranges must have been found to lie in the reader's region.
struct CheckedBlock {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< at most kBlockBytes
  std::uint64_t checksum_offset = 0;
  std::uint64_t seed = 0;
  friend bool operator==(const CheckedBlock&, const CheckedBlock&) = default;
};

}  // namespace packfs::content
