#pragma once

#include <cstdint>

namespace packfs::bench {

/// What a store finds where it is to lie, and what it leaves there.
enum class Lifetime : std::uint8_t {
  passing,  ///< whatever lies there is removed, before and in the end
  kept,     ///< the same before; it stays when it is closed: unlinks would be paid by whoever syncs next
  found,    ///< it is there, from one that was kept, and stays
};

}  // namespace packfs::bench
