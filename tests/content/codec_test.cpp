#include "content/codec.h"

#include <zstd.h>

#include <catch2/catch.hpp>

#include "content/format.h"
#include "content/image.h"

using namespace packfs;
using namespace packfs::testing;
using content::Compressor;
using content::Decompressor;

namespace {

Bytes frame_of(std::span<const std::byte> raw, int level = 3) {
  auto compressor = Compressor::make();
  REQUIRE(compressor);
  const auto frame = compressor->compress(raw, level);
  REQUIRE(frame);
  return {frame->begin(), frame->end()};
}

bool decodes(std::span<const std::byte> frame, std::size_t raw_length) {
  auto decompressor = Decompressor::make();
  REQUIRE(decompressor);
  Bytes raw(raw_length);
  return decompressor->decompress(frame, raw);
}

}  // namespace

TEST_CASE("what is compressed at any level comes back", "[content][codec]") {
  const int level = GENERATE(-5, 1, 3, 9, 19, 22);
  const std::size_t length = GENERATE(as<std::size_t>(), 200, 4096, 100'000, content::kBlockBytes);
  const Bytes raw = prose(length, length);
  const Bytes frame = frame_of(raw, level);
  REQUIRE(!frame.empty());
  CHECK(frame.size() <= raw.size() - raw.size() / 16);
  auto decompressor = Decompressor::make();
  REQUIRE(decompressor);
  Bytes decoded(raw.size());
  REQUIRE(decompressor->decompress(frame, decoded));
  CHECK(decoded == raw);
}

TEST_CASE("a frame does not depend on what was compressed before", "[content][codec]") {
  const Bytes raw = prose(7, 150'000);
  const Bytes fresh = frame_of(raw, 5);
  auto used = Compressor::make();
  REQUIRE(used);
  REQUIRE(used->compress(noise(1, content::kBlockBytes), 19));
  REQUIRE(used->compress(prose(2, 77), -3));
  const auto again = used->compress(raw, 5);
  REQUIRE(again);
  CHECK(std::ranges::equal(*again, fresh));
}

TEST_CASE("bytes that would not save a sixteenth are not compressed", "[content][codec]") {
  CHECK(frame_of(noise(1, 50'000)).empty());
  CHECK(frame_of(Bytes(1)).empty());
  CHECK(frame_of(Bytes()).empty());
  // Noise with a constant tail: the saving is known, so the border can be met from both sides.
  Bytes raw = noise(2, 16'000);
  std::fill(raw.end() - 900, raw.end(), std::byte{7});
  CHECK(frame_of(raw).empty());
  std::fill(raw.end() - 1200, raw.end(), std::byte{7});
  CHECK_FALSE(frame_of(raw).empty());
}

TEST_CASE("a sample tells whether compression is worth it, by its first 16 KiB", "[content][codec]") {
  auto compressor = Compressor::make();
  REQUIRE(compressor);
  CHECK(*compressor->looks_compressible(prose(1, 5000)));
  CHECK_FALSE(*compressor->looks_compressible(noise(1, 5000)));
  CHECK_FALSE(*compressor->looks_compressible(Bytes()));
  Bytes mixed = noise(3, Compressor::kSampleBytes);
  const Bytes tail = prose(3, 500'000);
  mixed.insert(mixed.end(), tail.begin(), tail.end());
  CHECK_FALSE(*compressor->looks_compressible(mixed));
}

TEST_CASE("a level zstd does not have, or more than a block, is invalid", "[content][codec]") {
  auto compressor = Compressor::make();
  REQUIRE(compressor);
  const Bytes raw = prose(1, 1000);
  for (const int level : {content::max_compression_level() + 1, content::min_compression_level() - 1}) {
    const auto frame = compressor->compress(raw, level);
    REQUIRE_FALSE(frame);
    CHECK(frame.error().code() == ErrorCode::invalid);
  }
  CHECK_FALSE(compressor->compress(Bytes(content::kBlockBytes + 1), 3));
}

TEST_CASE("only exactly one frame of exactly the length is decoded", "[content][codec]") {
  const Bytes raw = prose(4, 3000);
  const Bytes frame = frame_of(raw);
  REQUIRE(decodes(frame, 3000));
  CHECK_FALSE(decodes(frame, 2999));
  CHECK_FALSE(decodes(frame, 3001));
  CHECK_FALSE(decodes({}, 3000));
  CHECK_FALSE(decodes({}, 0));

  Bytes longer = frame;
  longer.push_back(std::byte{0});
  CHECK_FALSE(decodes(longer, 3000));

  Bytes twice = frame;
  twice.insert(twice.end(), frame.begin(), frame.end());
  CHECK_FALSE(decodes(twice, 6000));
  CHECK_FALSE(decodes(twice, 3000));

  // A skippable frame (magic 0x184D2A50, no bytes) behind ours, and before it.
  Bytes skipping{std::byte{0x50}, std::byte{0x2A}, std::byte{0x4D}, std::byte{0x18}};
  skipping.resize(8);
  Bytes followed = frame;
  followed.insert(followed.end(), skipping.begin(), skipping.end());
  CHECK_FALSE(decodes(followed, 3000));
  skipping.insert(skipping.end(), frame.begin(), frame.end());
  CHECK_FALSE(decodes(skipping, 3000));
}

TEST_CASE("a frame that does not say its length is refused", "[content][codec]") {
  const Bytes raw = prose(5, 3000);
  Bytes frame(ZSTD_compressBound(raw.size()));
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  CHECK_FALSE(decodes(frame, raw.size()));
}

TEST_CASE("every truncation of a frame is refused, every flipped bit at least harmless", "[content][codec]") {
  const Bytes raw = prose(6, 500);
  const Bytes frame = frame_of(raw);
  for (std::size_t length = 0; length < frame.size(); ++length) {
    REQUIRE_FALSE(decodes(std::span(frame).first(length), raw.size()));
  }
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    Bytes flipped = frame;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    refused += decodes(flipped, raw.size()) ? 0 : 1;
  }
  CHECK(refused > 0);
}
