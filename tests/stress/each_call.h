#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stress/operation.h"

namespace packfs::stress {

/// A tree on which each of the calls below can be made.
[[nodiscard]] std::vector<Operation> tree_of_all();

inline constexpr std::size_t kCalls = 27;
/// The `which`-th (modulo their number) kind of call that changes something; it succeeds on that tree. The seed chooses
/// sizes.
[[nodiscard]] Operation call_of(std::size_t which, std::uint64_t seed);

}  // namespace packfs::stress
