#include "base/hash.h"

// Inlined into this file, so that a short name costs one call and no table of function pointers.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash_long.h"

namespace packfs::base {

std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  // Up to this length XXH3 mixes without its stripe loop, which is the part that gains from wide vectors.
  constexpr std::size_t kLongestMixed = 240;
  if (bytes.size() <= kLongestMixed) return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
  return xxh3_long(bytes, seed);
}

}  // namespace packfs::base
