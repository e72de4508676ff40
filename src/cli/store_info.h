#pragma once

#include <cstdint>
#include <string>

#include "cli/context.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::cli {

/// What is told of a store as a whole.
struct StoreInfo {
  std::uint64_t store_id = 0;
  Time created;
  std::uint64_t segments = 0;
  std::uint64_t journal_bytes = 0;  ///< of the segments' files, what is allocated ahead included
  std::uint64_t last_commit = 0;
  Totals totals;
};

/// Errors: as open_store_to_read().
[[nodiscard]] Result<StoreInfo> read_store_info(const std::string& path, Context& context);

}  // namespace packfs::cli
