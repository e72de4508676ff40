#include <zstd.h>

#include <catch2/catch.hpp>

#include "base/hash.h"
#include "base/unique_fd.h"
#include "content/format.h"
#include "content/source.h"
#include "content/stored.h"
#include "support/memory_io.h"
#include "support/packs.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Bytes = std::vector<std::byte>;

Bytes frame_of(const Bytes& raw, bool with_size = true, bool with_checksum = false, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, with_checksum ? 1 : 0);
  if (window_log != 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Bytes frame(ZSTD_compressBound(raw.size()));
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  return frame;
}

// A packed content of one block whose checksum is good, whatever its frame is.
Bytes packed(const Bytes& frame, std::uint64_t raw_length, std::uint32_t codec = 1, std::int64_t length_off_by = 0) {
  Bytes bytes(64);
  bytes.push_back(std::byte{18});
  bytes.resize(bytes.size() + 3);
  const auto stored = static_cast<std::uint32_t>(static_cast<std::int64_t>(frame.size()) + length_off_by);
  content::PackedBlock block;
  const std::uint32_t word = (codec << 28) | stored;
  block.codec_and_length.set(word);
  Bytes padded = frame;
  padded.resize(std::max<std::size_t>(stored, frame.size()));
  block.checksum.set(base::xxh3(std::span(padded).first(stored), content::packed_block_seed(word, 18, raw_length)));
  const auto element = std::as_bytes(std::span(&block, 1));
  bytes.insert(bytes.end(), element.begin(), element.end());
  bytes.insert(bytes.end(), padded.begin(), padded.end());
  return bytes;
}

Result<Bytes> read(const Bytes& file, std::uint64_t raw_length, bool map) {
  MemoryIo io(file);
  const auto source = content::Source::open(io, base::unique_fd(io, MemoryIo::kDescriptor), file.size(), map);
  const auto reader = content::StoredReader::make(**source, 64, file.size());
  Bytes bytes(raw_length);
  const content::Stored stored{.form = content::Form::packed, .size = raw_length, .location = 64};
  const auto count = (*reader)->read(stored, 0, bytes);
  if (!count) return std::unexpected(count.error());
  // All of it and a part go different ways.
  const auto part = (*reader)->read(stored, raw_length / 2, std::span(bytes).first(1));
  if (!part) return std::unexpected(part.error());
  if (auto good = (*reader)->verify(stored); !good) return std::unexpected(good.error());
  return bytes;
}

ErrorCode error_of(const Bytes& file, std::uint64_t raw_length) {
  const auto mapped = read(file, raw_length, true);
  const auto unmapped = read(file, raw_length, false);
  REQUIRE_FALSE(mapped);
  REQUIRE_FALSE(unmapped);
  CHECK(mapped.error().code() == unmapped.error().code());
  CHECK(mapped.error().offset().has_value());
  return mapped.error().code();
}

const Bytes kRaw(1000, std::byte{'a'});

}  // namespace

TEST_CASE("a frame that holds more or less than its block is refused", "[hostile][zstd]") {
  REQUIRE(read(packed(frame_of(kRaw), 1000), 1000, true));
  for (const std::uint64_t claimed : {1ULL, 999ULL, 1001ULL, 4096ULL, 262'144ULL}) {
    CHECK(error_of(packed(frame_of(kRaw), claimed), claimed) == ErrorCode::corrupt);
    CHECK(error_of(packed(frame_of(kRaw, false), claimed), claimed) == ErrorCode::corrupt);
  }
}

TEST_CASE("a frame whose header lies about its size is refused", "[hostile][zstd]") {
  // With a single segment the size follows the descriptor: two bytes, less 256.
  Bytes frame = frame_of(kRaw);
  REQUIRE(std::to_integer<unsigned>(frame[4]) >> 5 == 3);
  for (const unsigned size : {256U, 999U, 1001U, 2000U, 65'791U}) {
    frame[5] = static_cast<std::byte>(size - 256);
    frame[6] = static_cast<std::byte>((size - 256) >> 8);
    CHECK(error_of(packed(frame, size), size) == ErrorCode::corrupt);
    CHECK(error_of(packed(frame, 1000), 1000) == ErrorCode::corrupt);
  }
}

TEST_CASE("a bomb fills no more than its block", "[hostile][zstd]") {
  const Bytes bomb = frame_of(Bytes(64U << 20));
  REQUIRE(bomb.size() < 16'384);
  CHECK(error_of(packed(bomb, 262'144), 262'144) == ErrorCode::corrupt);
  const Bytes unsaid = frame_of(Bytes(64U << 20), false);
  CHECK(error_of(packed(unsaid, 262'144), 262'144) == ErrorCode::corrupt);
  // One that says it holds just as much, in a window of 128 MiB.
  const Bytes windowed = frame_of(Bytes(262'144), false, false, 27);
  CHECK(error_of(packed(windowed, 262'144), 262'144) == ErrorCode::corrupt);
}

TEST_CASE("a stored length that is not the frame's is refused", "[hostile][zstd]") {
  for (const std::int64_t off_by : {-3, -1, 1, 2, 8, 100}) {
    CHECK(error_of(packed(frame_of(kRaw), 1000, 1, off_by), 1000) == ErrorCode::corrupt);
  }
  const Bytes frame = frame_of(kRaw);
  CHECK(error_of(packed(frame, 1000, 1, -static_cast<std::int64_t>(frame.size())), 1000) == ErrorCode::corrupt);
}

TEST_CASE("bytes that are no frame are refused", "[hostile][zstd]") {
  CHECK(error_of(packed(Bytes(100), 1000), 1000) == ErrorCode::corrupt);
  CHECK(error_of(packed(Bytes(3), 1000), 1000) == ErrorCode::corrupt);
  Bytes twice = frame_of(kRaw);
  const Bytes second = twice;
  twice.insert(twice.end(), second.begin(), second.end());
  CHECK(error_of(packed(twice, 1000), 1000) == ErrorCode::corrupt);
  CHECK(error_of(packed(twice, 2000), 2000) == ErrorCode::corrupt);
  const Bytes frame = frame_of(kRaw);
  for (std::size_t length = 1; length < frame.size(); ++length) {
    CHECK(error_of(packed(Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length)), 1000), 1000) ==
          ErrorCode::corrupt);
  }
}

TEST_CASE("a frame made with a dictionary is refused, as one or as what it is not", "[hostile][zstd]") {
  CHECK(error_of(packed(frame_of(kRaw), 1000, 2), 1000) == ErrorCode::unsupported_version);
  CHECK(error_of(packed(frame_of(kRaw), 1000, 3), 1000) == ErrorCode::unsupported_version);
  CHECK(error_of(packed(frame_of(kRaw), 1000, 0), 1000) == ErrorCode::corrupt);
  // A dictionary id of one byte in the header, where there was none.
  Bytes frame = frame_of(kRaw);
  frame[4] |= std::byte{1};
  frame.insert(frame.begin() + 5, std::byte{77});
  CHECK(error_of(packed(frame, 1000), 1000) == ErrorCode::corrupt);
}
