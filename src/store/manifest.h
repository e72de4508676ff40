#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::store {

/// A segment as the manifest names it.
struct SegmentEntry {
  std::uint64_t id = 0;
  std::uint64_t end = 0;          ///< its groups end there; 0 of the last one, which is still written
  std::uint64_t base_commit = 0;  ///< the last commit before it
};

/// What a store consists of (docs/format.md section 7): the file CURRENT.
struct Manifest {
  std::uint64_t store_id = 0;
  std::uint64_t generation = 0;  ///< counts up with every manifest
  Time created;                  ///< stamps of the root directory, with the owner
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<SegmentEntry> segments = {};  ///< in the order of their commits, at least one
};

[[nodiscard]] std::vector<std::byte> encode_manifest(const Manifest& manifest);
/// Errors: corrupt, with the offset; unsupported_version.
[[nodiscard]] Result<Manifest> decode_manifest(std::span<const std::byte> bytes);

}  // namespace packfs::store
