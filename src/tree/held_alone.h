#pragma once

#include <cstdint>

#include "tree/state.h"

namespace packfs::tree {

/// What a state keeps alive that nothing else does.
struct HeldAlone {
  std::uint64_t inodes = 0;  ///< entries, whiteouts not counted
  std::uint64_t bytes = 0;   ///< of its parts, and of contents that have no other holder
};

/// What letting go of both references of `state` would free. Costs what that is, and a look at each part beside it that
/// is shared. Threads: under the volume's count lock. Throws std::bad_alloc.
[[nodiscard]] HeldAlone held_alone(const State& state);

}  // namespace packfs::tree
