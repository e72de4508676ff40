#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "packfs/store.h"
#include "store/check.h"
#include "store/stores.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

StoreReport checked(const std::string& path) {
  const auto report = check_store(path);
  INFO((report ? "" : report.error().message()));
  REQUIRE(report);
  return *report;
}

/// A store of three segments, a commit each; the segments.
std::vector<std::string> make_three(const std::string& path) {
  StoreOptions options;
  options.segment_bytes = 64;
  {
    auto volume = Volume::open(path, options);
    REQUIRE(volume);
    for (int i = 0; i < 3; ++i) must(volume->write(std::to_string(i), bytes_of(std::string(1000, 'x'))));
  }
  return segments_of(path);
}

}  // namespace

TEST_CASE("a whole store is found whole, and counted", "[store][check]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  Volume volume = open_store_at(path);
  must(volume.write("a/b", bytes_of(std::string(5000, 'x')), make_parents));
  must(volume.symlink("b", "a/link"));
  auto transaction = volume.begin();
  must(transaction->write("c", bytes_of("c")));
  must(transaction->unlink("a/link"));
  const auto last = transaction->commit();
  REQUIRE(last);
  // While the writer has it open, and after.
  for (const bool is_closed : {false, true}) {
    if (is_closed) volume = *Volume::memory();
    const StoreReport report = checked(path);
    CHECK(report.damages == 0);
    CHECK(report.segments == 1);
    CHECK(report.commits == 3);
    CHECK(report.records_checked == 4);
    CHECK(report.entries_checked == 3);
    CHECK(report.last_commit == *last);
    CHECK(report.bytes_checked > 5000);
    CHECK(report.unfinished_bytes == 0);
  }
}

TEST_CASE("a check names the damaged content, and goes on", "[store][check]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  {
    Volume volume = open_store_at(path);
    must(volume.write("good", bytes_of("good")));
    must(volume.write("bad", bytes_of(std::string(1000, 'L'))));
    must(volume.write("worse", bytes_of(std::string(1000, 'M'))));
  }
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  const auto in_bad = std::search_n(bytes.begin(), bytes.end(), 100, std::byte{'L'}) - bytes.begin();
  const auto in_worse = std::search_n(bytes.begin(), bytes.end(), 100, std::byte{'M'}) - bytes.begin();
  flip(segment, static_cast<std::size_t>(in_bad) + 10);
  flip(segment, static_cast<std::size_t>(in_worse) + 10);
  const StoreReport report = checked(path);
  REQUIRE(report.damage.size() == 2);
  CHECK(report.commits == 3);
  CHECK(report.damage[0].code() == ErrorCode::corrupt);
  CHECK(report.damage[0].path() == segment);
  CHECK(report.damage[0].offset() == static_cast<std::uint64_t>(in_bad));
  CHECK(report.damage[0].message().find("the content of bad") != std::string::npos);
  CHECK(report.damage[1].message().find("the content of worse") != std::string::npos);
  CHECK(report.entries_checked == 3);
}

TEST_CASE("a check tells of lost and damaged segments, each with its place", "[store][check]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const auto segments = make_three(path);
  REQUIRE(segments.size() == 3);
  CHECK(checked(path).segments == 3);
  CHECK(checked(path).damages == 0);
  SECTION("a record") {
    flip(segments[0], 64 + 20);
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].path() == segments[0]);
    CHECK(report.damage[0].offset() == 64);
    CHECK(report.commits == 2);
  }
  SECTION("a header") {
    flip(segments[1], 20);
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].path() == segments[1]);
    CHECK(report.commits == 2);
  }
  SECTION("a segment cut off") {
    std::filesystem::resize_file(segments[1], 200);
    const auto report = checked(path);
    REQUIRE(report.damages >= 1);
    CHECK(report.damage[0].path() == segments[1]);
    CHECK(report.damage[0].offset() == 200);
    CHECK(report.commits == 2);
  }
  SECTION("a segment that is gone") {
    std::filesystem::remove(segments[1]);
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].code() == ErrorCode::no_entry);
    CHECK(report.damage[0].path() == segments[1]);
    CHECK(report.commits == 2);
  }
  SECTION("no manifest") {
    std::filesystem::remove(path + "/CURRENT");
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].path() == path + "/CURRENT");
  }
  SECTION("a damaged manifest") {
    flip(path + "/CURRENT", 30);
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].code() == ErrorCode::corrupt);
    CHECK(report.damage[0].path() == path + "/CURRENT");
  }
}

TEST_CASE("what a crash left half done is no damage to a check, what it lost is", "[store][check]") {
  const TempDir directory;
  const std::string live = directory.path("live");
  const std::string path = directory.path("store");
  Volume volume = open_store_at(live);
  must(volume.write("first", bytes_of("1")));
  const std::size_t second = used(read_host_file(segment_of(live)));
  must(volume.write("second", bytes_of(std::string(400, '2'))));
  const std::size_t third = used(read_host_file(segment_of(live)));
  SECTION("half done") {
    copy_killed(live, path);
    flip(segment_of(path), second + 200);
    const auto report = checked(path);
    CHECK(report.damages == 0);
    CHECK(report.commits == 1);
    CHECK(report.unfinished_bytes == third - second);
  }
  SECTION("lost") {
    must(volume.write("third", bytes_of("3")));
    copy_killed(live, path);
    flip(segment_of(path), second + 20);
    const auto report = checked(path);
    REQUIRE(report.damages == 1);
    CHECK(report.damage[0].offset() == second);
    CHECK(report.commits == 1);
  }
}

TEST_CASE("where there is no store a check fails, and it can be cancelled", "[store][check]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  CHECK(check_store(path).error().code() == ErrorCode::no_entry);
  std::filesystem::create_directory(path);
  CHECK(check_store(path).error().code() == ErrorCode::no_entry);
  write_host_file(directory.path("file"), bytes_of("x"));
  CHECK(check_store(directory.path("file")).error().code() == ErrorCode::not_a_directory);
  {
    Volume volume = open_store_at(path);
    for (int i = 0; i < 4; ++i) must(volume.write(std::to_string(i), bytes_of(std::string(700'000, 'x'))));
  }
  std::vector<std::uint64_t> told;
  const auto cancelled = check_store(path, [&](std::uint64_t done, std::uint64_t total) {
    told.push_back(done);
    CHECK(total >= 2'800'000);
    return false;
  });
  CHECK(cancelled.error().code() == ErrorCode{ECANCELED});
  CHECK(told.size() == 1);
}

TEST_CASE("a check writes nothing, and an error of the host is no damage", "[store][check]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const auto segments = make_three(path);
  FaultIo io(base::system_io());
  REQUIRE(store::check(io, path, {}));
  for (const FaultIo::Call& call : io.log()) {
    INFO(call.name << " " << call.path);
    CHECK(is_reading(call));
  }
  const std::uint64_t calls = io.count();
  for (std::uint64_t n = 1; n <= calls; ++n) {
    io.heal();
    io.fail({.nth = n}, EIO);
    const auto report = store::check(io, path, {});
    if (report) CHECK(report->damages == 0);  // closing, giving advice
    if (!report) CHECK(report.error().code() == ErrorCode::io_error);
  }
}
