#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "log/format.h"

namespace packfs::testing {

/// Makes every checksum good that can be reached in bytes that were a pack before something changed them, so that a
/// fuzzer's changes get past the checksums: file header, record heads and contents, index pages, footer. What it cannot
/// make sense of it leaves alone. Never touches anything outside `file`.
void reseal(std::span<std::byte> file);

/// The same for the records of a segment that begin at `begin`, one after another, up to `end`.
void reseal_records(std::span<std::byte> file, std::size_t begin, std::size_t end,
                    std::uint64_t segment_id = log::kBuiltSegmentId);

}  // namespace packfs::testing
