#include "content/verified_bits.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <random>
#include <set>

#include "support/fault_io.h"
#include "support/seed.h"

using namespace packfs;
using content::VerifiedBits;

TEST_CASE("a checksum counts as good from set on, and no other does", "[content][verified_bits]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  constexpr std::uint64_t kBegin = 61;
  constexpr std::uint64_t kEnd = 20'000;
  auto bits = VerifiedBits::make(base::system_io(), kBegin, kEnd);
  REQUIRE(bits);
  std::set<std::uint64_t> good;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t offset = kBegin + random() % (kEnd - kBegin);
    bits->set(offset);
    good.insert((offset - kBegin) / 8);
  }
  bool all_agree = true;
  for (std::uint64_t offset = kBegin; offset < kEnd; ++offset) {
    all_agree = all_agree && bits->test(offset) == good.contains((offset - kBegin) / 8);
  }
  CHECK(all_agree);
}

TEST_CASE("bits for a huge file are made with one call and used at both ends", "[content][verified_bits]") {
  packfs::testing::FaultIo io(base::system_io());
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 43;  // TSan leaves no room for much more
  auto bits = VerifiedBits::make(io, 0, kEnd);
  REQUIRE(bits);
  CHECK(io.count() == 1);
  CHECK_FALSE(bits->test(kEnd - 8));
  bits->set(kEnd - 8);
  CHECK(bits->test(kEnd - 8));
  CHECK_FALSE(bits->test(0));
}

TEST_CASE("bits for nothing, and bits without memory", "[content][verified_bits]") {
  CHECK(VerifiedBits::make(base::system_io(), 64, 64));
  packfs::testing::FaultIo io(base::system_io());
  io.fail({.call = "mmap"}, ENOMEM);
  const auto bits = VerifiedBits::make(io, 0, 1 << 20);
  REQUIRE_FALSE(bits);
  CHECK(bits.error().code() == ErrorCode::no_memory);
}
