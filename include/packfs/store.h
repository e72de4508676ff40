#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs {

/// What check_store() found. Whole when `damage` is empty; each damage has path and offset.
struct StoreReport : VerifyReport {
  std::uint64_t segments = 0;
  std::uint64_t commits = 0;      ///< that are in the journal
  std::uint64_t last_commit = 0;  ///< the number of the last one
  /// Behind the last whole commit: what a crash left half done, or a writer is at. No damage; the next writer drops it.
  std::uint64_t unfinished_bytes = 0;
};

/// Reads all of a store: manifest, every record and content of the journal, and that its operations can be done. Damage
/// is reported, not returned as an error. Writes nothing, so the medium may be read-only and the store in use: then it
/// tells about a state of meanwhile. `progress` (may be empty) is called now and then with bytes done and in all; false
/// cancels. Errors: no_entry, not_a_directory (there is no store); unsupported_version; ECANCELED; no_memory; an errno
/// of the host.
[[nodiscard]] Result<StoreReport> check_store(
    const std::string& directory, const std::function<bool(std::uint64_t done, std::uint64_t total)>& progress = {});

/// What repair_store() did.
struct RepairReport {
  bool changed = false;                ///< false: the store opens as it is, nothing was done
  std::uint64_t last_commit = 0;       ///< up to this one all is there
  std::vector<Error> damage;           ///< why the next commit could not be kept, and what else was wrong
  std::vector<std::string> set_aside;  ///< paths of files that belong to the store no more
  std::uint64_t dropped_commits = 0;   ///< whole ones that came later and are lost, as far as they can be read
};

/// Makes a store that cannot be opened one that can: the commits before the first damage are kept, all later ones
/// dropped. A lost, damaged or older manifest is made anew from the segments (the root directory then is this process's
/// user's, from now). Old segments are not written to; those that the store loses are set aside under names that begin
/// with "dropped-". Damage inside a file's content drops nothing: reading that file tells of it. Errors: busy (a writer
/// has it); no_entry or corrupt (there is no manifest, or a damaged one, and no segment to begin with); otherwise as
/// check_store().
[[nodiscard]] Result<RepairReport> repair_store(const std::string& directory);

}  // namespace packfs
