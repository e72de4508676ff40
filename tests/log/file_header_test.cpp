#include "log/file_header.h"

#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "base/hash.h"

using namespace packfs;

namespace {

using HeaderBytes = std::array<std::byte, 64>;

HeaderBytes sealed(HeaderBytes bytes) {
  base::store_le(bytes.data() + 56, base::xxh3(std::span(bytes).first(56)));
  return bytes;
}

}  // namespace

TEST_CASE("a file header comes back", "[log][file_header]") {
  const log::SegmentHeader header{.segment_id = 1, .previous_segment = 2, .previous_cut = 3, .base_commit = UINT64_MAX};
  const auto decoded = log::decode_file_header(log::encode_file_header(header));
  REQUIRE(decoded);
  CHECK(decoded->segment_id == 1);
  CHECK(decoded->previous_segment == 2);
  CHECK(decoded->previous_cut == 3);
  CHECK(decoded->base_commit == UINT64_MAX);
  const auto built = log::decode_file_header(log::encode_file_header({}));
  REQUIRE(built);
  CHECK(built->segment_id == log::kBuiltSegmentId);
}

TEST_CASE("a header begins with the magic and the version", "[log][file_header]") {
  const auto bytes = log::encode_file_header({});
  const unsigned char magic[] = {0x89, 'P', 'F', 'S', '\r', '\n', 0x1A, '\n', 1, 0, 0, 0};
  CHECK(std::equal(std::begin(magic), std::end(magic), bytes.begin(),
                   [](unsigned char a, std::byte b) { return a == std::to_integer<unsigned char>(b); }));
}

TEST_CASE("every cut and every flipped bit of a file header is an error", "[log][file_header]") {
  const HeaderBytes bytes = log::encode_file_header({});
  for (std::size_t length = 0; length < 64; ++length) {
    const auto header = log::decode_file_header(std::span(bytes).first(length));
    REQUIRE_FALSE(header);
    CHECK(header.error().code() == (length < 8 ? ErrorCode::not_a_pack : ErrorCode::corrupt));
    if (length >= 8) CHECK(header.error().offset() == length);
  }
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    HeaderBytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto header = log::decode_file_header(flipped);
    REQUIRE_FALSE(header);
    constexpr std::size_t kVersion = 64;  // of which this bit makes 0
    const ErrorCode expected = bit < kVersion               ? ErrorCode::not_a_pack
                               : bit > kVersion && bit < 96 ? ErrorCode::unsupported_version
                                                            : ErrorCode::corrupt;
    CHECK(header.error().code() == expected);
  }
}

TEST_CASE("another version is unsupported even when the file ends behind it", "[log][file_header]") {
  HeaderBytes bytes = log::encode_file_header({});
  bytes[8] = std::byte{2};
  CHECK(log::decode_file_header(std::span(bytes).first(12)).error().code() == ErrorCode::unsupported_version);
}

TEST_CASE("flags and reserved bytes must be zero, whatever the checksum says", "[log][file_header]") {
  for (std::size_t at = 12; at < 56; ++at) {
    HeaderBytes bytes = log::encode_file_header({});
    bytes[at] ^= std::byte{0x40};
    const auto header = log::decode_file_header(sealed(bytes));
    const bool is_flags = at < 16;
    const bool is_reserved = at >= 48;
    REQUIRE(header.has_value() == !(is_flags || is_reserved));
    if (!header) CHECK(header.error().offset() == (is_flags ? 12 : 48));
  }
}
