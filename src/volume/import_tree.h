#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/io.h"
#include "packfs/host_tree.h"

namespace packfs::volume {

// packfs::import_tree() with all of the host behind `io`.
Result<void> import_tree(base::Io& io, std::span<const std::string> sources, Transaction& transaction,
                         std::string_view into, const ImportOptions& options, ImportReport& report);
Result<std::uint64_t> import_tree(base::Io& io, std::span<const std::string> sources, Volume& volume,
                                  std::string_view into, const ImportOptions& options, ImportReport& report);

}  // namespace packfs::volume
