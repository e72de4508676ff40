#pragma once

#include <string>
#include <vector>

#include "stress/run.h"
#include "support/temp_dir.h"

namespace packfs::stress {

inline constexpr std::uint32_t kOwner = 1007;  ///< of new entries in every setting
inline constexpr std::uint32_t kGroup = 1008;

/// An empty volume; `fault` is built into its model.
[[nodiscard]] Setting empty_setting(Fault fault = Fault::none);

/// Volumes over packs that are built in `directory`, which must outlive them: a small tree of everything, and one with
/// directories of thousands of entries, compressed.
[[nodiscard]] std::vector<Setting> pack_settings(const testing::TempDir& directory);

/// Empty stores in `directory`, which must outlive them. Reopening closes one in order, or opens what lies on the disk
/// while it is still open, as if the process had been killed there, by turns.
[[nodiscard]] Setting store_setting(const testing::TempDir& directory);

}  // namespace packfs::stress
