#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/store.h"

namespace packfs::store {

/// check_store() with all of the host behind `io`.
[[nodiscard]] Result<StoreReport> check(base::Io& io, const std::string& directory,
                                        const std::function<bool(std::uint64_t, std::uint64_t)>& progress);

}  // namespace packfs::store
