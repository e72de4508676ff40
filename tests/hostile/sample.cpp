#include "hostile/sample.h"

#include "support/seed.h"

namespace packfs::testing {

bool sampled(std::string_view name) {
  if constexpr (kSampleStride == 1) return true;
  static const std::uint64_t seed = test_seed() % kSampleStride;
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
  return (hash + seed) % kSampleStride == 0;
}

}  // namespace packfs::testing
