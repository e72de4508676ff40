#include "log/segment_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using log::SegmentWriter;

namespace {

std::unique_ptr<SegmentWriter> make_writer(base::Io& io, const TempDir& directory) {
  const base::unique_fd fd(io, io.openat(AT_FDCWD, directory.path("").c_str(), O_RDONLY | O_DIRECTORY, 0));
  auto writer = SegmentWriter::create(io, fd.get(), "segment", {.segment_id = 7});
  REQUIRE(writer);
  return std::move(*writer);
}

bool are_zeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

TEST_CASE("small writes find zeros written ahead of them, a quarter of a megabyte at most", "[log][segment]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  const auto writer = make_writer(io, directory);
  const std::string path = directory.path("segment");
  CHECK(std::filesystem::file_size(path) == SegmentWriter::kLeastStep);
  const std::vector<std::byte> group(200, std::byte{'g'});
  std::uint64_t end = 64;
  std::uint64_t growths = 0;
  constexpr std::uint64_t kGroups = 5000;
  io.clear_log();
  for (std::uint64_t i = 0; i < kGroups; ++i) {
    const auto before = std::filesystem::file_size(path);
    must(writer->write(end, group));
    end += group.size();
    const auto after = std::filesystem::file_size(path);
    growths += after != before ? 1 : 0;
    REQUIRE(after >= end);
    REQUIRE(after - end <= SegmentWriter::kMostZeros);
  }
  CHECK(growths <= 7);
  CHECK(io.count("pwrite") <= kGroups + 4 * growths);
  CHECK(io.count("fallocate") == 0);
  const auto bytes = read_host_file(path);
  CHECK(std::ranges::count(bytes, std::byte{'g'}) == static_cast<std::ptrdiff_t>(kGroups * group.size()));
  CHECK(are_zeros(std::span(bytes).subspan(end)));
}

TEST_CASE("before large writes room is reserved, not filled", "[log][segment]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  const auto writer = make_writer(io, directory);
  const std::vector<std::byte> group(300'000, std::byte{'g'});
  io.clear_log();
  for (std::uint64_t i = 0; i < 20; ++i) must(writer->write(64 + i * group.size(), group));
  CHECK(io.count("pwrite") == 20);
  CHECK(io.count("fallocate") >= 3);
  CHECK(io.count("fallocate") <= 8);
}

TEST_CASE("what is expected finds zeros that were begun to be written", "[log][segment]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  const auto writer = make_writer(io, directory);
  const std::vector<std::byte> group(100'000, std::byte{'g'});
  constexpr std::uint64_t kGroups = 50;
  io.clear_log();
  std::uint64_t end = 64;
  std::uint64_t begun = 0;
  for (std::uint64_t i = 0; i < kGroups; ++i) {
    writer->expect(end, group.size());
    begun += io.count("sync_file_range");
    CHECK(std::filesystem::file_size(directory.path("segment")) >= end + group.size());
    io.clear_log();
    must(writer->write(end, group));
    CHECK(io.count("pwrite") == 1);
    CHECK(io.count("fallocate") == 0);
    io.clear_log();
    end += group.size();
  }
  CHECK(begun >= kGroups * group.size() / SegmentWriter::kMostZeros);
  CHECK(begun < kGroups / 2 + 2);
  const auto bytes = read_host_file(directory.path("segment"));
  CHECK(std::ranges::count(bytes, std::byte{'g'}) == static_cast<std::ptrdiff_t>(kGroups * group.size()));
  CHECK(are_zeros(std::span(bytes).subspan(end)));

  // Those that need no zeros yet, and those that need none.
  writer->expect(end, SegmentWriter::kLeastExpected - 1);
  writer->expect(end, SegmentWriter::kMostSmall + 1);
  CHECK(io.log().empty());
}

TEST_CASE("what was expected can be written where no zeros could", "[log][segment]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  const auto writer = make_writer(io, directory);
  const std::vector<std::byte> group(100'000, std::byte{'g'});
  const bool is_write = GENERATE(true, false);
  io.fail({.call = is_write ? "pwrite" : "sync_file_range"}, is_write ? ENOSPC : ENOSYS);
  writer->expect(64, group.size());
  CHECK(io.struck());
  io.heal();
  must(writer->write(64, group));
  const auto bytes = read_host_file(directory.path("segment"));
  CHECK(std::ranges::equal(group, std::span(bytes).subspan(64, group.size())));
}

TEST_CASE("where nothing can be allocated ahead, writing does without", "[log][segment]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  const auto writer = make_writer(io, directory);
  const std::size_t size = GENERATE(std::size_t{1000}, std::size_t{300'000});
  const std::vector<std::byte> group(size, std::byte{'g'});
  std::uint64_t end = SegmentWriter::kLeastStep - 500;
  // Of a write that grows the file: the zeros behind it, then it.
  io.fail({.call = size > SegmentWriter::kMostSmall ? "fallocate" : "pwrite"}, ENOSPC);
  must(writer->write(end, group));
  CHECK(io.struck());
  end += size;
  CHECK(std::filesystem::file_size(directory.path("segment")) == end);
  io.heal();
  must(writer->write(end, group));
  CHECK(std::filesystem::file_size(directory.path("segment")) > end + size);
}
