#include "base/hash.h"

#include <xxhash.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "support/seed.h"

using packfs::base::xxh3;
using packfs::base::Xxh3Stream128;

namespace {

// The buffer of xxhsum's own self-test.
std::vector<std::byte> sanity_buffer(std::size_t length) {
  std::vector<std::byte> buffer(length);
  std::uint64_t generator = 2654435761U;
  for (std::byte& byte : buffer) {
    byte = static_cast<std::byte>(generator >> 56);
    generator *= 11400714785074694797ULL;
  }
  return buffer;
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::array<std::uint8_t, 16> reference_128(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::array<std::uint8_t, 16> digest;
  std::copy_n(canonical.digest, digest.size(), digest.begin());
  return digest;
}

}  // namespace

TEST_CASE("the hash gives xxhsum's published values", "[hash]") {
  constexpr std::uint64_t kSeed = 11400714785074694797ULL;
  struct Vector {
    std::size_t length;
    std::uint64_t seed;
    std::uint64_t hash;
  };
  const Vector vectors[] = {
      {0, 0, 0x2D06800538D394C2ULL},       {0, kSeed, 0xA8A6B918B2F0364AULL},   {1, 0, 0xC44BDFF4074EECDBULL},
      {1, kSeed, 0x032BE332DD766EF8ULL},   {6, 0, 0x27B56A84CD2D7325ULL},       {6, kSeed, 0x84589C116AB59AB9ULL},
      {12, 0, 0xA713DAF0DFBB77E7ULL},      {12, kSeed, 0xE7303E1B2336DE0EULL},  {24, 0, 0xA3FE70BF9D3510EBULL},
      {24, kSeed, 0x850E80FC35BDD690ULL},  {48, 0, 0x397DA259ECBA1F11ULL},      {48, kSeed, 0xADC2CBAA44ACC616ULL},
      {80, 0, 0xBCDEFBBB2C47C90AULL},      {80, kSeed, 0xC6DD0CB699532E73ULL},  {195, 0, 0xCD94217EE362EC3AULL},
      {195, kSeed, 0xBA68003D370CB3D9ULL}, {403, 0, 0xCDEB804D65C6DEA4ULL},     {403, kSeed, 0x6259F6ECFD6443FDULL},
      {512, 0, 0x617E49599013CB6BULL},     {512, kSeed, 0x3CE457DE14C27708ULL}, {2048, 0, 0xDD59E2C3A5F038E0ULL},
      {2048, kSeed, 0x66F81670669ABABCULL}};
  const auto buffer = sanity_buffer(2048);
  for (const Vector& vector : vectors) {
    CAPTURE(vector.length, vector.seed);
    CHECK(xxh3(std::span(buffer).first(vector.length), vector.seed) == vector.hash);
  }
}

TEST_CASE("the hash is the reference library's at every length, seed and alignment", "[hash]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  const auto buffer = random_bytes(random, 2100);
  std::vector<std::size_t> wrong;
  for (std::size_t length = 0; length <= 2000; ++length) {
    const std::uint64_t seed = length % 3 == 0 ? 0 : random();
    const auto bytes = std::span(buffer).subspan(random() % 64, length);
    if (xxh3(bytes, seed) != XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed)) wrong.push_back(length);
  }
  CHECK(wrong.empty());
}

TEST_CASE("the hash of large inputs is the reference library's", "[hash]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  const auto buffer = random_bytes(random, (std::size_t{5} << 20) + 64);
  for (const std::size_t length : {std::size_t{65536}, std::size_t{262144}, (std::size_t{5} << 20) + 13}) {
    const auto bytes = std::span(buffer).subspan(7, length);
    CHECK(xxh3(bytes) == XXH3_64bits(bytes.data(), bytes.size()));
    CHECK(xxh3(bytes, 42) == XXH3_64bits_withSeed(bytes.data(), bytes.size(), 42));
  }
}

TEST_CASE("the stream's digest does not depend on how its bytes were cut", "[hash]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  const auto buffer = random_bytes(random, 100'000);
  Xxh3Stream128 stream;
  CHECK(stream.digest() == reference_128({}));
  std::size_t done = 0;
  while (done < buffer.size()) {
    const std::size_t piece = std::min<std::size_t>(random() % 3000, buffer.size() - done);
    stream.update(std::span(buffer).subspan(done, piece));
    done += piece;
    REQUIRE(stream.digest() == reference_128(std::span(buffer).first(done)));
  }
}

TEST_CASE("the digest is canonical: the empty stream's is the published one", "[hash]") {
  const std::array<std::uint8_t, 16> expected{0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                              0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
  CHECK(Xxh3Stream128().digest() == expected);
}

TEST_CASE("a number enters the stream as its eight little-endian bytes", "[hash]") {
  Xxh3Stream128 numbers;
  numbers.update_u64(0x0807060504030201);
  numbers.update_u64(9);
  Xxh3Stream128 bytes;
  const unsigned char raw[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0};
  bytes.update(std::as_bytes(std::span(raw)));
  CHECK(numbers.digest() == bytes.digest());
}

TEST_CASE("a moved stream goes on where it was", "[hash]") {
  Xxh3Stream128 stream;
  stream.update(packfs::base::as_bytes("begin, "));
  Xxh3Stream128 moved = std::move(stream);
  moved.update(packfs::base::as_bytes("end"));
  CHECK(moved.digest() == reference_128(packfs::base::as_bytes("begin, end")));
  Xxh3Stream128 assigned;
  assigned.update(packfs::base::as_bytes("dropped"));
  assigned = std::move(moved);
  CHECK(assigned.digest() == reference_128(packfs::base::as_bytes("begin, end")));
}
