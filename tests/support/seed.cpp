#include "support/seed.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace packfs::testing {

std::uint64_t test_seed() {
  std::uint64_t seed = 0;
  if (const char* given = std::getenv("PACKFS_TEST_SEED"); given != nullptr && *given != '\0') {
    seed = std::strtoull(given, nullptr, 0);
  } else {
    std::random_device random;
    seed = (std::uint64_t{random()} << 32) | random();
  }
  std::fprintf(stderr, "PACKFS_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace packfs::testing
