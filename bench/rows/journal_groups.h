#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace packfs::bench {

/// The bytes of each commit in the journal of a store that was closed and has one segment, in their order.
[[nodiscard]] std::vector<std::size_t> journal_groups(const std::string& store);

}  // namespace packfs::bench
