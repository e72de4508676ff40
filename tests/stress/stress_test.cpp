#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "stress/oracle.h"
#include "stress/sanitized.h"
#include "stress/settings.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::stress;

namespace {

constexpr std::uint64_t kSequences = kIsSanitized ? 60 : 1000;
constexpr std::size_t kLength = 100;

/// PACKFS_STRESS_SEQUENCES overrides what the build is given.
std::uint64_t sequences() {
  const char* given = std::getenv("PACKFS_STRESS_SEQUENCES");
  return given != nullptr && *given != '\0' ? std::strtoull(given, nullptr, 10) : kSequences;
}

/// Nothing failed, or what did first.
std::string run_all(const Setting& setting, std::uint64_t first_seed, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    // The counters wait for all memory to be given back: not each time.
    const Closeness closeness{.counters = i % 4 == 0};
    if (const auto failure = try_sequence(setting, first_seed + i, kLength, closeness)) return *failure;
  }
  return "";
}

}  // namespace

TEST_CASE("an empty volume does what the model says, whatever is done to it", "[stress]") {
  CHECK(run_all(empty_setting(), testing::test_seed(), sequences() / 2) == "");
}

TEST_CASE("a volume over a pack does what the model says, whatever is done to it", "[stress]") {
  const testing::TempDir directory;
  const auto settings = pack_settings(directory);
  const std::uint64_t seed = testing::test_seed();
  constexpr std::uint64_t kWidePart = 200;  // each of its sequences costs as many small ones
  const std::uint64_t wide = sequences() / 2 / kWidePart;
  CHECK(run_all(settings[0], seed, sequences() / 2 - wide) == "");
  CHECK(run_all(settings[1], seed, wide) == "");
}

TEST_CASE("a store does what the model says, and is found so after it was closed or killed", "[stress][store]") {
  const testing::TempDir directory;
  // Each waits for the disk with every commit.
  CHECK(run_all(store_setting(directory), testing::test_seed(), sequences() / 10) == "");
}
