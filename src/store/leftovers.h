#pragma once

#include <string>
#include <vector>

#include "packfs/error.h"
#include "store/directory.h"
#include "store/manifest.h"

namespace packfs::store {

/// The files that a creation which was cut off left in a directory without a manifest. Errors: corrupt, with the path
/// (there is anything else); an errno of the host.
[[nodiscard]] Result<std::vector<std::string>> leftovers_of_creation(const Directory& directory);

/// The files that crashes left beside a store: segments that were never adopted, a manifest that was being written.
/// Segments that may hold what nobody else has are not among them. Errors: corrupt, with the path (a segment holds
/// commits that came after all those of the manifest's: the manifest is an older one); an errno of the host.
[[nodiscard]] Result<std::vector<std::string>> leftovers_of(const Directory& directory, const Manifest& manifest);

}  // namespace packfs::store
