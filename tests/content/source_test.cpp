#include "content/source.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "content/image.h"
#include "support/fault_io.h"

using namespace packfs;
using namespace packfs::testing;

TEST_CASE("a source gives the bytes of a range, mapped or not", "[content][source]") {
  const bool map = GENERATE(true, false);
  const Bytes bytes = noise(1, 10'000);
  const OpenImage image(bytes, map);
  CHECK(image.source().mapped() == map);
  CHECK(image.source().length() == bytes.size());

  base::Buffer scratch;
  const auto middle = image.source().at(100, 5000, scratch);
  REQUIRE(middle);
  CHECK(std::ranges::equal(*middle, std::span(bytes).subspan(100, 5000)));
  CHECK((scratch.size() == 0) == map);

  Bytes end(10);
  REQUIRE(image.source().copy(9990, end));
  CHECK(std::ranges::equal(end, std::span(bytes).last(10)));
  CHECK(image.source().copy(10'000, std::span<std::byte>()));
}

TEST_CASE("a range that is not within the file is corrupt at its offset", "[content][source]") {
  const bool map = GENERATE(true, false);
  const OpenImage image(noise(2, 1000), map);
  base::Buffer scratch;
  const auto range = GENERATE(table<std::uint64_t, std::uint64_t>(
      {{0, 1001}, {1000, 1}, {1001, 0}, {999, 2}, {UINT64_MAX, 1}, {UINT64_MAX - 5, 10}, {1, UINT64_MAX}}));
  const auto [offset, length] = range;
  const auto bytes = image.source().at(offset, length, scratch);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code() == ErrorCode::corrupt);
  CHECK(bytes.error().offset() == offset);
  // Nothing may be allocated for what a file cannot hold.
  CHECK(scratch.size() == 0);

  Bytes buffer(2);
  const auto copied = image.source().copy(999, buffer);
  REQUIRE_FALSE(copied);
  CHECK(copied.error().offset() == 999);
}

TEST_CASE("an empty file can be opened in either mode", "[content][source]") {
  const bool map = GENERATE(true, false);
  const OpenImage image(Bytes(), map);
  CHECK(image.source().mapped() == map);
  base::Buffer scratch;
  REQUIRE(image.source().at(0, 0, scratch));
  CHECK_FALSE(image.source().at(0, 1, scratch));
}

TEST_CASE("a file that shrinks while it is read with pread is corrupt where it ends", "[content][source]") {
  OpenImage image(noise(3, 8192), false);
  image.truncate(5000);
  base::Buffer scratch;
  CHECK(image.source().at(0, 5000, scratch));
  const auto bytes = image.source().at(4000, 2000, scratch);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code() == ErrorCode::corrupt);
  CHECK(bytes.error().offset() == 5000);
}

TEST_CASE("interrupted and short preads are gone on with, a failed one is returned", "[content][source]") {
  FaultIo io(base::system_io());
  const Bytes bytes = noise(4, 3000);
  const OpenImage image(bytes, false, io);
  base::Buffer scratch;
  io.fail({.call = "pread"}, EINTR);
  io.shorten({.call = "pread", .for_ever = true}, 700);
  const auto all = image.source().at(0, 3000, scratch);
  REQUIRE(all);
  CHECK(std::ranges::equal(*all, bytes));
  CHECK(io.count("pread") >= 5);
  io.heal();
  io.fail({.call = "pread"}, EIO);
  const auto failed = image.source().at(0, 10, scratch);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == ErrorCode::io_error);
}

TEST_CASE("a source that cannot be mapped gives the errno and closes its descriptor", "[content][source]") {
  FaultIo io(base::system_io());
  const int fd = io.openat(-100, "/proc/self/exe", 0, 0);
  REQUIRE(fd >= 0);
  io.fail({.call = "mmap"}, ENODEV);
  const auto source = content::Source::open(io, base::unique_fd(io, fd), 100, true);
  REQUIRE_FALSE(source);
  CHECK(source.error().to_errno() == ENODEV);
  CHECK(io.open_descriptors() == 0);
}

TEST_CASE("a source keeps its mapping or its descriptor, and takes it with it", "[content][source]") {
  FaultIo io(base::system_io());
  for (const bool map : {false, true}) {
    const OpenImage image(noise(5, 100), map, io);
    CHECK(io.open_descriptors() == (map ? 0 : 1));
  }
  CHECK(io.open_descriptors() == 0);
  CHECK(io.count("mmap") == io.count("munmap"));
}
