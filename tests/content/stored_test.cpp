#include "content/stored.h"

#include <catch2/catch.hpp>
#include <random>

#include "content/image.h"
#include "support/fault_io.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;
using content::Stored;

namespace {

struct Case {
  std::string name;
  Bytes raw;
  Stored stored;
};

// Data, a hole, data that ends beside the holes' grid, a hole up to the end.
Bytes with_holes() {
  Bytes raw = prose(11, 700'000);
  std::fill(raw.begin() + 4096, raw.begin() + 40 * 4096, std::byte{0});
  std::fill(raw.begin() + 300'000, raw.begin() + 300'000 + 5000, std::byte{0});
  raw.resize(raw.size() + 64 * 4096);
  return raw;
}

std::vector<Case> all_cases(Image& image) {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Bytes raw, auto put) {
    const Stored stored = put(std::span<const std::byte>(raw));
    cases.push_back({std::move(name), std::move(raw), stored});
  };
  const auto run = [&](auto raw) { return image.add_run(raw); };
  for (const std::size_t length :
       std::initializer_list<std::size_t>{1, 100, 511, 512, 513, 5000, 262'144, 262'145, 1'048'576, 1'300'000}) {
    add("run of " + std::to_string(length), noise(length, length), run);
  }
  add("shrunk run", noise(1, 1'000'000), [&](auto raw) { return image.add_shrunk_run(raw, 1'400'000); });
  add("run shrunk to nothing", Bytes(), [&](auto raw) { return image.add_shrunk_run(raw, 1'100'000); });
  for (const unsigned log2 : {12U, 15U, 18U}) {
    for (const std::size_t length : std::initializer_list<std::size_t>{1, 300, 4096, 4097, 300'000}) {
      const std::string name = "packed " + std::to_string(length) + " in 2^" + std::to_string(log2);
      add(name, prose(length, length), [&](auto raw) { return image.add_packed(raw, log2); });
    }
    Bytes mixed = prose(3, 300'000);
    const Bytes incompressible = noise(3, 300'000);
    mixed.insert(mixed.end(), incompressible.begin(), incompressible.end());
    add("partly packed", std::move(mixed), [&](auto raw) { return image.add_packed(raw, log2); });
  }
  add("chained, one extent", prose(4, 100'000), [&](auto raw) { return image.add_chained(raw, 4 << 20); });
  add("chained, all runs", with_holes(), [&](auto raw) { return image.add_chained(raw, 30'000); });
  add("chained, all packed", with_holes(), [&](auto raw) { return image.add_chained(raw, 65'536, 1); });
  add("chained, many extents", with_holes(), [&](auto raw) { return image.add_chained(raw, 1000, 3); });
  add("chained, a hole only", Bytes(50'000), [&](auto raw) { return image.add_map({}, raw.size()); });
  add("chained, nothing", Bytes(), [&](auto raw) { return image.add_map({}, raw.size()); });
  add("no content", Bytes(), [&](auto) { return Stored{}; });
  return cases;
}

// Reads [offset, offset + length) and compares with the model; a few bytes around the buffer must stay untouched.
bool reads_like(const content::StoredReader& reader, const Case& what, std::uint64_t offset, std::size_t length) {
  constexpr std::size_t kGuard = 8;
  Bytes buffer(length + 2 * kGuard, std::byte{0xA5});
  const auto count = reader.read(what.stored, offset, std::span(buffer).subspan(kGuard, length));
  const std::size_t expected = offset >= what.raw.size() ? 0 : std::min<std::size_t>(length, what.raw.size() - offset);
  if (!count || *count != expected) return false;
  Bytes wanted(buffer.size(), std::byte{0xA5});
  if (expected != 0)
    std::copy_n(what.raw.begin() + static_cast<std::ptrdiff_t>(offset), expected, wanted.begin() + kGuard);
  return std::equal(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(kGuard + expected), wanted.begin()) &&
         std::equal(buffer.end() - kGuard, buffer.end(), wanted.end() - kGuard);
}

}  // namespace

TEST_CASE("any range of any form reads like the plain bytes, mapped or not", "[content][stored]") {
  const bool map = GENERATE(true, false);
  Image image;
  const auto cases = all_cases(image);
  OpenImage open(image.bytes(), map);
  std::mt19937_64 random(test_seed());
  for (const Case& what : cases) {
    INFO(what.name << (map ? ", mapped" : ", pread"));
    open.forget();
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t offset = random() % (what.raw.size() + 3);
      const std::size_t length = random() % 3 == 0 ? random() % (what.raw.size() + 100) : random() % 300;
      INFO("offset " << offset << " length " << length);
      REQUIRE(reads_like(open.reader(), what, offset, length));
    }
    REQUIRE(reads_like(open.reader(), what, 0, what.raw.size()));
    REQUIRE(reads_like(open.reader(), what, 0, what.raw.size() + 10));
    REQUIRE(reads_like(open.reader(), what, UINT64_MAX, 10));
    REQUIRE(open.reader().verify(what.stored));
  }
}

TEST_CASE("a run in a mapped source is borrowed without a copy", "[content][stored]") {
  Image image;
  const auto cases = all_cases(image);
  const OpenImage open(image.bytes(), true);
  for (const Case& what : cases) {
    INFO(what.name);
    const auto bytes = open.reader().borrow(what.stored);
    if (what.stored.form == Form::run) {
      REQUIRE(bytes);
      CHECK(std::ranges::equal(*bytes, what.raw));
      CHECK(bytes->data() == open.source().base() + what.stored.location);
    } else if (what.stored.form == Form::none) {
      REQUIRE(bytes);
      CHECK(bytes->empty());
    } else {
      REQUIRE_FALSE(bytes);
      CHECK(bytes.error().code() == ErrorCode::not_supported);
    }
  }
  const OpenImage unmapped(image.bytes(), false);
  CHECK(unmapped.reader().borrow(cases.front().stored).error().code() == ErrorCode::not_supported);
}

TEST_CASE("data is found between holes, and the holes between data", "[content][stored]") {
  Image image;
  // Two extents side by side are one stretch; the map begins and ends with holes.
  const Bytes raw = noise(1, 3 * 4096);
  const Stored run = image.add_run(raw);
  const std::vector map{map_element(4096, 4096, Form::run, run.location), map_element(8192, 4096, Form::run, 7),
                        map_element(5 * 4096, 100, Form::run, 8)};
  const Stored chained = image.add_map(map, 10 * 4096);
  const OpenImage open(image.bytes(), GENERATE(true, false));
  const auto next = [&](const Stored& stored, std::uint64_t offset) {
    const auto range = open.reader().next_data(stored, offset);
    REQUIRE(range);
    return std::pair(range->begin, range->end);
  };
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(next(chained, 0) == Range(4096, 12'288));
  CHECK(next(chained, 4096) == Range(4096, 12'288));
  CHECK(next(chained, 9000) == Range(9000, 12'288));
  CHECK(next(chained, 12'287) == Range(12'287, 12'288));
  CHECK(next(chained, 12'288) == Range(20'480, 20'580));
  CHECK(next(chained, 20'579) == Range(20'579, 20'580));
  CHECK(next(chained, 20'580) == Range(40'960, 40'960));
  CHECK(next(chained, UINT64_MAX) == Range(40'960, 40'960));
  CHECK(next(run, 5) == Range(5, 12'288));
  CHECK(next(run, 12'288) == Range(12'288, 12'288));
  CHECK(next(Stored{}, 0) == Range(0, 0));
  CHECK(next(image.add_map({}, 777), 0) == Range(777, 777));
}

TEST_CASE("small reads of one packed block decode it once, and no other block", "[content][stored]") {
  FaultIo io(base::system_io());
  Image image;
  const Bytes raw = prose(5, 16 * 4096);
  const Case what{"packed", raw, image.add_packed(raw, 12)};
  const OpenImage open(image.bytes(), false, io);
  const auto bytes_read = [&] {
    std::int64_t sum = 0;
    for (const auto& call : io.log()) sum += call.name == "pread" ? call.result : 0;
    io.clear_log();
    return sum;
  };
  bytes_read();
  constexpr std::int64_t kTable = 4 + 16 * 12;
  REQUIRE(reads_like(open.reader(), what, 5 * 4096 + 10, 50));
  const std::int64_t first = bytes_read();
  CHECK(first > kTable);
  CHECK(first < kTable + 4096);
  REQUIRE(reads_like(open.reader(), what, 5 * 4096 + 2000, 50));
  CHECK(bytes_read() == kTable);
  REQUIRE(reads_like(open.reader(), what, 9 * 4096, 4096));
  CHECK(bytes_read() > kTable);
  // A block decoded straight into the caller's buffer displaces nothing.
  REQUIRE(reads_like(open.reader(), what, 5 * 4096, 10));
  CHECK(bytes_read() == kTable);
}

TEST_CASE("without a mapping a small content costs one pread, a larger block is read whole once", "[content][stored]") {
  FaultIo io(base::system_io());
  Image image;
  const Bytes small = noise(1, 300);
  const Bytes large = noise(2, 100'000);
  const Case small_run{"small", small, image.add_run(small)};
  const Case large_run{"large", large, image.add_run(large)};
  const OpenImage open(image.bytes(), false, io);
  io.clear_log();
  REQUIRE(reads_like(open.reader(), small_run, 10, 20));
  CHECK(io.count("pread") == 1);
  io.clear_log();
  REQUIRE(reads_like(open.reader(), large_run, 10, 20));
  CHECK(io.count("pread") == 2);
  CHECK(io.log().back().result + io.log().front().result == 100'008);
  io.clear_log();
  REQUIRE(reads_like(open.reader(), large_run, 50'000, 20));
  CHECK(io.count("pread") == 0);
}

TEST_CASE("without a mapping the blocks read last are kept, and others are read again", "[content][stored]") {
  FaultIo io(base::system_io());
  Image image;
  std::vector<Case> cases;
  for (std::uint64_t i = 0; i < 9; ++i) {
    Bytes raw = noise(i, 1000);
    const Stored stored = image.add_run(raw);
    cases.push_back({std::to_string(i), std::move(raw), stored});
  }
  const OpenImage open(image.bytes(), false, io);
  for (const Case& each : cases) REQUIRE(reads_like(open.reader(), each, 10, 20));
  io.clear_log();
  for (std::size_t i = 1; i < 9; ++i) REQUIRE(reads_like(open.reader(), cases[i], 30, 20));
  CHECK(io.count("pread") == 0);
  REQUIRE(reads_like(open.reader(), cases[0], 30, 20));
  CHECK(io.count("pread") == 2);
}

TEST_CASE("a failing pread is returned, whatever is read", "[content][stored]") {
  Image image;
  const auto cases = all_cases(image);
  for (const Case& what : cases) {
    if (what.raw.empty()) continue;
    INFO(what.name);
    for (std::uint64_t nth = 1;; ++nth) {
      FaultIo io(base::system_io());
      const OpenImage open(image.bytes(), false, io);
      io.fail({.call = "pread", .nth = nth, .for_ever = true}, EIO);
      Bytes buffer(200);
      const auto count = open.reader().read(what.stored, what.raw.size() / 2, buffer);
      if (!io.struck()) {
        REQUIRE(count);
        break;
      }
      REQUIRE_FALSE(count);
      REQUIRE(count.error().code() == ErrorCode::io_error);
    }
    if (what.stored.size > 400'000) break;  // the larger forms take the same paths
  }
}

TEST_CASE("a reader needs a region within its source, and memory for its bits", "[content][stored]") {
  FaultIo io(base::system_io());
  const OpenImage open(Bytes(1000), true, io);
  CHECK_FALSE(content::StoredReader::make(open.source(), 0, 1001));
  CHECK_FALSE(content::StoredReader::make(open.source(), 500, 400));
  CHECK(content::StoredReader::make(open.source(), 1000, 1000));
  io.fail({.call = "mmap"}, ENOMEM);
  const auto reader = content::StoredReader::make(open.source(), 0, 1000);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().code() == ErrorCode::no_memory);
}
