#pragma once

#include <string_view>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/volume.h"

namespace packfs::store {

/// Volume::open() with all of the host behind `io`, which is borrowed as long as the volume or a snapshot of it lives.
[[nodiscard]] Result<Volume> open(base::Io& io, std::string_view directory, const StoreOptions& options);

}  // namespace packfs::store
