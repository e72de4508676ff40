#pragma once

#include <cstdint>
#include <functional>

#include "pack/reader.h"
#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::pack {

/// packfs::Pack::verify() for an open reader: every record, page, name and content, and that the log and the index say
/// the same. Memory: 24 bytes for each directory and link group, and what one content's extents need.
[[nodiscard]] Result<VerifyReport> verify(const Reader& reader,
                                          const std::function<bool(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace packfs::pack
