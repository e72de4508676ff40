#include "store/manifest.h"

#include <catch2/catch.hpp>
#include <cstddef>

using namespace packfs;
using namespace packfs::store;

namespace {

Manifest sample() {
  return {.store_id = 7,
          .generation = 3,
          .created = {-5, 999'999'999},
          .uid = 1,
          .gid = 2,
          .segments = {{11, 640, 0}, {12, 64, 9}, {13, 0, 9}}};
}

}  // namespace

TEST_CASE("a manifest reads back as it was written", "[store][manifest]") {
  const auto manifest = decode_manifest(encode_manifest(sample()));
  REQUIRE(manifest);
  CHECK(manifest->store_id == 7);
  CHECK(manifest->generation == 3);
  CHECK(manifest->created == Time{-5, 999'999'999});
  CHECK(manifest->uid == 1);
  CHECK(manifest->gid == 2);
  REQUIRE(manifest->segments.size() == 3);
  CHECK(manifest->segments[0].id == 11);
  CHECK(manifest->segments[0].end == 640);
  CHECK(manifest->segments[2].base_commit == 9);
}

TEST_CASE("a manifest that was cut off or changed anywhere is refused", "[store][manifest]") {
  const auto bytes = encode_manifest(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto cut = decode_manifest(std::span(bytes).first(length));
    REQUIRE_FALSE(cut);
    CHECK(cut.error().code() == ErrorCode::corrupt);
  }
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto refused = decode_manifest(flipped);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() ==
          (bit / 8 >= 8 && bit / 8 < 12 ? ErrorCode::unsupported_version : ErrorCode::corrupt));
    CHECK(refused.error().offset());
  }
}

TEST_CASE("segments of a manifest keep its rules", "[store][manifest]") {
  const auto takes = [](auto change) {
    Manifest manifest = sample();
    change(manifest);
    return decode_manifest(encode_manifest(manifest)).has_value();
  };
  CHECK(takes([](Manifest&) {}));
  CHECK_FALSE(takes([](Manifest& m) { m.segments.clear(); }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[0].end = 0; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[0].end = 63; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[0].end = 644; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[2].end = 64; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[1].id = 0; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[2].base_commit = 8; }));
  CHECK(takes([](Manifest& m) { m.segments[2].base_commit = INT64_MAX; }));
  CHECK_FALSE(takes([](Manifest& m) { m.segments[2].base_commit = std::uint64_t{1} << 63; }));
  CHECK_FALSE(takes([](Manifest& m) { m.created.nanoseconds = 1'000'000'000; }));
}
