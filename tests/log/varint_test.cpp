#include "log/varint.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <random>

#include "support/seed.h"

using namespace packfs;

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

std::optional<std::uint64_t> decoded(const std::vector<std::byte>& in) {
  log::VarintReader reader(in);
  const auto value = reader.varint();
  return reader.left() == 0 ? value : std::nullopt;
}

std::vector<std::byte> encoded(std::uint64_t value) {
  std::vector<std::byte> out;
  log::put_varint(out, value);
  return out;
}

}  // namespace

TEST_CASE("varints have the bytes LEB128 gives them", "[log][varint]") {
  CHECK(encoded(0) == bytes({0}));
  CHECK(encoded(127) == bytes({0x7F}));
  CHECK(encoded(128) == bytes({0x80, 0x01}));
  CHECK(encoded(624'485) == bytes({0xE5, 0x8E, 0x26}));
  CHECK(encoded(UINT64_MAX) == bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
}

TEST_CASE("every varint comes back, at each length's limits too", "[log][varint]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  for (unsigned bits = 0; bits < 64; ++bits) {
    const std::uint64_t border = std::uint64_t{1} << bits;
    for (const std::uint64_t value : {border - 1, border, border + 1, random() >> bits}) {
      REQUIRE(decoded(encoded(value)) == value);
      REQUIRE(encoded(value).size() <= 10);
    }
  }
}

TEST_CASE("a varint with needless bytes, too many bits or no end is none", "[log][varint]") {
  CHECK_FALSE(decoded(bytes({})));
  CHECK_FALSE(decoded(bytes({0x80})));
  CHECK_FALSE(decoded(bytes({0x80, 0x00})));
  CHECK_FALSE(decoded(bytes({0xFF, 0x80, 0x00})));
  CHECK_FALSE(decoded(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02})));
  CHECK_FALSE(decoded(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x00})));
  CHECK_FALSE(decoded(bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00})));
  CHECK(decoded(bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})) == std::uint64_t{1} << 63);
}

TEST_CASE("zigzag keeps every signed value and small magnitudes small", "[log][varint]") {
  for (const std::int64_t value : {INT64_MIN, INT64_MIN + 1, -2L, -1L, 0L, 1L, 2L, INT64_MAX - 1, INT64_MAX}) {
    CHECK(log::unzigzag(log::zigzag(value)) == value);
  }
  CHECK(log::zigzag(0) == 0);
  CHECK(log::zigzag(-1) == 1);
  CHECK(log::zigzag(1) == 2);
  CHECK(log::zigzag(INT64_MIN) == UINT64_MAX);
}

TEST_CASE("counted bytes end where the input does", "[log][varint]") {
  const auto in = bytes({3, 1, 2, 3, 2, 9});
  log::VarintReader reader(in);
  const auto first = reader.counted(reader.left());
  REQUIRE(first);
  CHECK(first->size() == 3);
  CHECK_FALSE(reader.counted(reader.left()));
  log::VarintReader again(in);
  CHECK_FALSE(again.counted(2));
}
