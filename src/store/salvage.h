#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "store/directory.h"
#include "store/manifest.h"

namespace packfs::store {

/// The part of a journal that can be kept: whole segments, and of the last one what comes before the first damage.
struct Prefix {
  std::size_t segments = 0;           ///< of the manifest's, that belong to it
  std::uint64_t cut = 0;              ///< where the last of them ends
  std::uint64_t last_commit = 0;      ///< of all that is kept
  std::optional<Error> damage = {};   ///< what stands there instead of a next commit; nothing when the journal is whole
  std::uint64_t dropped_commits = 0;  ///< whole ones behind it, as far as they can be read
};

/// Does all of the journal, in memory, as far as it goes. Errors: no_memory; unsupported_version; an errno of the host.
[[nodiscard]] Result<Prefix> find_prefix(const Directory& directory, const Manifest& manifest);

/// The segments that follow one another, by their own headers, up to the one with the last commit: what a lost manifest
/// said. None when the first one is not there. Errors: an errno of the host; no_memory.
[[nodiscard]] Result<std::vector<SegmentEntry>> find_chain(const Directory& directory,
                                                           const std::vector<std::string>& names);

}  // namespace packfs::store
