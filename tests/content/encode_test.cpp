#include "content/encode.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/image.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

Bytes trailer_of(std::span<const std::byte> run) {
  Bytes out;
  content::append_run_trailer(run, out);
  return out;
}

std::uint64_t word(std::span<const std::byte> bytes, std::size_t index) {
  return base::load_le<std::uint64_t>(bytes.data() + 8 * index);
}

}  // namespace

TEST_CASE("a run's trailer has one checksum for each 256 KiB block", "[content][encode]") {
  const std::size_t length = GENERATE(as<std::size_t>(), 0, 1, 4096, 262'144, 262'145, 1'048'576);
  const Bytes run = noise(length, length);
  const Bytes trailer = trailer_of(run);
  REQUIRE(trailer.size() == content::run_trailer_bytes(length));
  REQUIRE(trailer.size() == 8 * ((length + 262'143) / 262'144));
  for (std::size_t i = 0; i * 262'144 < length; ++i) {
    const auto block = std::span(run).subspan(i * 262'144);
    CHECK(word(trailer, i) == base::xxh3(block.first(std::min<std::size_t>(block.size(), 262'144))));
  }
}

TEST_CASE("a run longer than 1 MiB ends with its source length", "[content][encode]") {
  const Bytes run = noise(1, 1'048'577);
  const Bytes trailer = trailer_of(run);
  REQUIRE(trailer.size() == 5 * 8 + 8);
  CHECK(word(trailer, 5) == 1'048'577);

  content::RunTrailer streamed;
  streamed.update(run);
  CHECK(streamed.length() == run.size());
  Bytes shrunk;
  streamed.finish(1'000'000, shrunk);
  REQUIRE(shrunk.size() == trailer.size());
  CHECK(word(shrunk, 5) == 1'000'000);
  CHECK(std::equal(shrunk.begin(), shrunk.end() - 8, trailer.begin()));
}

TEST_CASE("a trailer does not depend on the pieces its run comes in", "[content][encode]") {
  std::mt19937_64 random(test_seed());
  content::RunTrailer streamed;
  for (int round = 0; round < 30; ++round) {
    const Bytes run = noise(random(), random() % 1'500'000);
    const std::uint64_t most = 1 + random() % 600'000;
    for (std::span<const std::byte> rest = run; !rest.empty();) {
      const std::size_t piece = std::min<std::size_t>(rest.size(), random() % most);
      streamed.update(rest.first(piece));
      rest = rest.subspan(piece);
    }
    Bytes out;
    streamed.finish(run.size(), out);
    REQUIRE(out == trailer_of(run));
  }
}

TEST_CASE("packed content has a header, a table and the blocks, compressed where that saves", "[content][encode]") {
  auto compressor = content::Compressor::make();
  REQUIRE(compressor);
  Bytes raw = prose(1, 4096);
  const Bytes second = noise(1, 4096);
  raw.insert(raw.end(), second.begin(), second.end());
  const Bytes third = prose(2, 100);
  raw.insert(raw.end(), third.begin(), third.end());

  Bytes out(5, std::byte{9});
  const auto compressed = content::encode_packed(raw, 3, 12, *compressor, out);
  REQUIRE(compressed);
  CHECK(*compressed);
  const auto packed = std::span<const std::byte>(out).subspan(5);
  CHECK(base::load_le<std::uint32_t>(packed.data()) == 12);
  std::size_t at = 4 + 3 * 12;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto element = packed.subspan(4 + 12 * i, 12);
    const auto codec_and_length = base::load_le<std::uint32_t>(element.data());
    const std::size_t length = codec_and_length & 0xFFF'FFFF;
    const std::size_t raw_length = i < 2 ? 4096 : 100;
    CHECK(codec_and_length >> 28 == (i == 1 ? 0 : 1));
    CHECK((i == 1 ? length == 4096 : length < raw_length));
    CHECK(base::load_le<std::uint64_t>(element.data() + 4) ==
          base::xxh3(packed.subspan(at, length), (std::uint64_t{codec_and_length} << 32) + (12U << 24) + raw_length));
    at += length;
  }
  CHECK(at == packed.size());
}

TEST_CASE("packed content says when nothing was compressed", "[content][encode]") {
  auto compressor = content::Compressor::make();
  REQUIRE(compressor);
  Bytes out;
  const auto compressed = content::encode_packed(noise(1, 300'000), 3, 18, *compressor, out);
  REQUIRE(compressed);
  CHECK_FALSE(*compressed);
  CHECK(out.size() == 4 + 2 * 12 + 300'000);
}

TEST_CASE("packed content of a length, block size or level that does not exist is invalid", "[content][encode]") {
  auto compressor = content::Compressor::make();
  REQUIRE(compressor);
  Bytes out(3);
  const Bytes raw = prose(1, 10'000);
  CHECK_FALSE(content::encode_packed({}, 3, 18, *compressor, out));
  CHECK_FALSE(content::encode_packed(Bytes(content::kMaxExtentBytes + 1), 3, 18, *compressor, out));
  CHECK_FALSE(content::encode_packed(raw, 3, 11, *compressor, out));
  CHECK_FALSE(content::encode_packed(raw, 3, 19, *compressor, out));
  const auto failed = content::encode_packed(raw, 100, 12, *compressor, out);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == ErrorCode::invalid);
  CHECK(out.size() == 3);
  CHECK(content::encode_packed(Bytes(content::kMaxExtentBytes), 3, 12, *compressor, out));
}

TEST_CASE("only whole zero blocks are holes", "[content][encode]") {
  Bytes bytes(4 * 4096 + 100);
  CHECK(content::leading_hole(bytes) == 4 * 4096);
  CHECK(content::leading_data(bytes) == 0);
  CHECK(content::leading_hole(std::span(bytes).subspan(4 * 4096)) == 0);
  CHECK(content::leading_data(std::span(bytes).subspan(4 * 4096)) == 100);

  const std::size_t stray = GENERATE(as<std::size_t>(), 0, 1, 7, 8, 9, 2047, 4088, 4095);
  bytes[4096 + stray] = std::byte{1};
  CHECK(content::leading_hole(bytes) == 4096);
  CHECK(content::leading_data(std::span(bytes).subspan(4096)) == 4096);
  // All bytes alike is not all bytes zero.
  CHECK(content::leading_hole(Bytes(4096, std::byte{1})) == 0);
  CHECK(content::leading_data(Bytes(4096, std::byte{1})) == 4096);
  CHECK(content::leading_data({}) == 0);
  CHECK(content::leading_hole({}) == 0);
}
