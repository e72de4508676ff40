#pragma once

#include <string>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/store.h"

namespace packfs::store {

/// repair_store() with all of the host behind `io`.
[[nodiscard]] Result<RepairReport> repair(base::Io& io, const std::string& directory);

}  // namespace packfs::store
