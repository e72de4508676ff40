#include "base/bytes.h"

#include <array>
#include <catch2/catch.hpp>

#include "base/le.h"

using packfs::base::align_up;
using packfs::base::load_le;
using packfs::base::range_fits;
using packfs::base::store_le;

namespace {
constexpr std::uint64_t kMax = UINT64_MAX;
}

TEST_CASE("a range fits when it ends at or before the limit", "[bytes]") {
  CHECK(range_fits(0, 0, 0));
  CHECK(range_fits(0, 10, 10));
  CHECK(range_fits(10, 0, 10));
  CHECK(range_fits(4, 6, 10));
  CHECK_FALSE(range_fits(4, 7, 10));
  CHECK_FALSE(range_fits(11, 0, 10));
  CHECK_FALSE(range_fits(0, 1, 0));
}

TEST_CASE("a range whose end overflows does not fit", "[bytes]") {
  CHECK_FALSE(range_fits(1, kMax, kMax));
  CHECK_FALSE(range_fits(kMax, 1, kMax));
  CHECK_FALSE(range_fits(kMax, kMax, kMax));
  CHECK_FALSE(range_fits(kMax - 1, 3, 100));
  CHECK_FALSE(range_fits(1, kMax, 1));
  CHECK(range_fits(kMax, 0, kMax));
  CHECK(range_fits(0, kMax, kMax));
  CHECK(range_fits(1, kMax - 1, kMax));
}

TEST_CASE("aligning rounds up to the next multiple and leaves multiples alone", "[bytes]") {
  CHECK(align_up(0, 8) == 0U);
  CHECK(align_up(1, 8) == 8U);
  CHECK(align_up(8, 8) == 8U);
  CHECK(align_up(9, 1) == 9U);
  CHECK(align_up(4097, 4096) == 8192U);
}

TEST_CASE("aligning beyond 64 bits gives nothing", "[bytes]") {
  CHECK(align_up(kMax, 1) == kMax);
  CHECK(align_up(kMax - 7, 8) == kMax - 7);
  CHECK_FALSE(align_up(kMax - 6, 8).has_value());
  CHECK_FALSE(align_up(kMax, 2).has_value());
  CHECK(align_up(1, std::uint64_t{1} << 63) == std::uint64_t{1} << 63);
  CHECK_FALSE(align_up((std::uint64_t{1} << 63) + 1, std::uint64_t{1} << 63).has_value());
}

TEST_CASE("integers are little-endian at any address", "[bytes]") {
  std::array<std::byte, 16> memory{};
  store_le<std::uint32_t>(memory.data() + 1, 0x01020304);
  CHECK(memory[0] == std::byte{0});
  CHECK(memory[1] == std::byte{4});
  CHECK(memory[2] == std::byte{3});
  CHECK(memory[3] == std::byte{2});
  CHECK(memory[4] == std::byte{1});
  CHECK(memory[5] == std::byte{0});
  CHECK(load_le<std::uint32_t>(memory.data() + 1) == 0x01020304);
  CHECK(load_le<std::uint16_t>(memory.data() + 3) == 0x0102);
  store_le<std::uint64_t>(memory.data() + 3, 0x1122334455667788);
  CHECK(load_le<std::uint64_t>(memory.data() + 3) == 0x1122334455667788);
  CHECK(memory[3] == std::byte{0x88});
}

TEST_CASE("on-disk integers have no padding, also those of odd width", "[bytes]") {
  struct Mixed {
    packfs::base::Le8 a;
    packfs::base::Le24 b;
    packfs::base::Le16 c;
    packfs::base::Le64 d;
    packfs::base::Le32 e;
  };
  STATIC_REQUIRE(sizeof(Mixed) == 18);
  STATIC_REQUIRE(alignof(Mixed) == 1);
  Mixed mixed{};
  mixed.b.set(0xAABBCC);
  CHECK(mixed.b.get() == 0xAABBCC);
  CHECK(mixed.b.raw[0] == std::byte{0xCC});
  CHECK(mixed.b.raw[2] == std::byte{0xAA});
  mixed.b.set(0xFF000001);
  CHECK(mixed.b.get() == 1);
  CHECK(mixed.c.get() == 0);
  mixed.d.set(kMax);
  CHECK(mixed.d.get() == kMax);
  CHECK(mixed.e.get() == 0);
}

TEST_CASE("text and bytes are two views of the same memory", "[bytes]") {
  const std::string_view text("a\0b", 3);
  const auto bytes = packfs::base::as_bytes(text);
  REQUIRE(bytes.size() == 3);
  CHECK(bytes[2] == std::byte{'b'});
  CHECK(packfs::base::as_text(bytes) == text);
  CHECK(packfs::base::as_text(bytes).data() == text.data());
}
