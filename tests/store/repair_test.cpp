#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "log/file_header.h"
#include "packfs/store.h"
#include "store/repair.h"
#include "store/stores.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr int kFiles = 6;

/// Six commits, one file each, in segments of two or all in one.
void make_six(const std::string& path, bool in_several) {
  StoreOptions options;
  options.segment_bytes = in_several ? 1500 : std::uint64_t{1} << 20;
  auto volume = Volume::open(path, options);
  REQUIRE(volume);
  for (int i = 0; i < kFiles; ++i) must(volume->write(std::to_string(i), bytes_of(std::string(1000, 'x'))));
}

std::map<std::string, std::vector<std::byte>> files_in(const std::string& path) {
  std::map<std::string, std::vector<std::byte>> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files[entry.path().filename()] = read_host_file(entry.path());
  }
  return files;
}

RepairReport repaired(const std::string& path) {
  const auto report = repair_store(path);
  INFO((report ? "" : report.error().message()));
  REQUIRE(report);
  return *report;
}

/// The store is whole, has the first `count` of the files and takes another, in each opening.
void check_repaired(const std::string& path, int count) {
  CHECK(check_store(path)->damages == 0);
  CHECK_FALSE(repaired(path).changed);
  for (const std::string& name : {std::string("new"), std::string("newer")}) {
    Volume volume = open_store_at(path);
    for (int i = 0; i < kFiles; ++i) {
      INFO(i);
      CHECK(*volume.exists(std::to_string(i)) == (i < count));
      if (i < count) CHECK(read_text(volume, std::to_string(i)) == std::string(1000, 'x'));
    }
    must(volume.write(name, bytes_of(name)));
  }
  CHECK(open_store_at(path).totals()->entries == static_cast<std::uint64_t>(count) + 2);
  CHECK(check_store(path)->damages == 0);
}

/// The offset of the n-th file's record in its segment, found by its content.
std::size_t record_of(const std::vector<std::byte>& segment, std::size_t n) {
  auto at = segment.begin();
  for (std::size_t i = 0;; ++i) {
    at = std::search_n(at, segment.end(), 1000, std::byte{'x'});
    REQUIRE(at != segment.end());
    if (i == n) return static_cast<std::size_t>(at - segment.begin()) - 1;  // the name's last byte
    at += 1000;
  }
}

std::uint64_t id_of(const std::string& segment) {
  return *store::segment_id_of(std::filesystem::path(segment).filename().string());
}

}  // namespace

TEST_CASE("a store that needs no repair is not changed by it", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  make_six(path, true);
  const auto before = files_in(path);
  const RepairReport report = repaired(path);
  CHECK_FALSE(report.changed);
  CHECK(report.damage.empty());
  CHECK(report.last_commit == open_store_at(path).snapshot().commit());
  CHECK(files_in(path) == before);
  // Nor one that a crash left with half a group, or with a file's content damaged.
  const std::string killed = directory.path("killed");
  {
    Volume volume = open_store_at(path);
    must(volume.write("more", bytes_of("x")));
    copy_killed(path, killed);
  }
  const auto segments = segments_of(killed);
  flip(segments.back(), used(read_host_file(segments.back())) - 30);
  CHECK_FALSE(repaired(killed).changed);
  check_repaired(killed, kFiles);
  Volume writer = open_store_at(path);
  CHECK(repair_store(path).error().code() == ErrorCode::busy);
}

TEST_CASE("repair keeps what comes before the damage", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  make_six(path, false);
  const std::string segment = segment_of(path);
  const std::size_t at = record_of(read_host_file(segment), 3);
  flip(segment, at);
  CHECK(Volume::open(path).error().code() == ErrorCode::corrupt);
  const auto damaged = read_host_file(segment);
  const RepairReport report = repaired(path);
  CHECK(report.changed);
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].path() == segment);
  CHECK(*report.damage[0].offset() < at);
  CHECK(report.dropped_commits == 2);
  CHECK(report.set_aside.empty());
  CHECK(read_host_file(segment) == damaged);
  check_repaired(path, 3);
}

TEST_CASE("repair finds the damage that keeps a store from opening, whatever stands before it", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  make_six(path, false);
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  const std::size_t at = record_of(bytes, 3);
  int kept = 3;
  std::uint64_t dropped = 2;
  SECTION("a content that is damaged in the commit before") { flip(segment, record_of(bytes, 2) + 10); }
  SECTION("the mark of an earlier closing, whose successor is lost") {
    // A write that never reached the disk, and was reported as there: what was at its place before is there still.
    {
      Volume volume = open_store_at(path);
    }
    kept = kFiles;
    dropped = 1;
    const auto before = read_host_file(segment);
    {
      Volume volume = open_store_at(path);
      must(volume.write("7", bytes_of("x")));
      must(volume.write("8", bytes_of("x")));
    }
    auto after = read_host_file(segment);
    const std::size_t mark = used(bytes) - 64;
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(mark), 64,
                after.begin() + static_cast<std::ptrdiff_t>(mark));
    write_host_file(segment, after);
  }
  if (kept == 3) flip(segment, at);
  CHECK(Volume::open(path).error().code() == ErrorCode::corrupt);
  StoreOptions reading;
  reading.read_only = true;
  const auto read = Volume::open(path, reading);
  REQUIRE_FALSE(read);
  CHECK(read.error().code() == ErrorCode::corrupt);
  const auto checked = check_store(path);
  REQUIRE(checked);
  REQUIRE(checked->damages == (kept == 3 ? 2 : 1));
  CHECK(checked->damage.back().message() == read.error().message());
  CHECK(checked->commits == static_cast<std::uint64_t>(kept));
  const RepairReport report = repaired(path);
  CHECK(report.changed);
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].message() == read.error().message());
  CHECK(report.dropped_commits == dropped);
  const Volume volume = open_store_at(path);
  for (int i = 0; i < kFiles; ++i) CHECK(*volume.exists(std::to_string(i)) == (i < kept));
  if (kept == 3) CHECK(volume.open_file("2")->read_all().error().code() == ErrorCode::corrupt);
}

TEST_CASE("repair passes once over what is lost, whatever lengths it seems to say", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  {
    Volume volume = open_store_at(path);
    must(volume.write("before", bytes_of("x")));
    // Each eighth byte begins what could be the head of a record with a name of 1 MiB.
    std::vector<std::byte> content(std::size_t{8} << 20);
    for (std::size_t i = 0; i < content.size(); i += 8) {
      content[i] = std::byte{2};
      content[i + 3] = std::byte{0x10};
    }
    must(volume.write("damaged", content));
    for (const char* name : {"after", "later"}) must(volume.write(name, bytes_of("x")));
  }
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  const auto name = bytes_of("damaged");
  flip(segment, static_cast<std::size_t>(std::ranges::search(bytes, name).begin() - bytes.begin()));
  CHECK(repaired(path).dropped_commits == 2);
  CHECK(open_store_at(path).totals()->entries == 1);
}

TEST_CASE("repair goes around segments that are lost or damaged, and keeps them", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  make_six(path, true);
  const auto segments = segments_of(path);
  REQUIRE(segments.size() == 3);
  const auto bytes = read_host_file(segments[2]);
  const auto aside = [&](const std::string& segment) {
    return path + "/dropped-" + std::filesystem::path(segment).filename().string();
  };
  int kept = 0;
  std::uint64_t dropped = 0;
  SECTION("the second is gone") {
    std::filesystem::remove(segments[1]);
    kept = 2;
    dropped = 2;
  }
  SECTION("the second's header is damaged") {
    flip(segments[1], 20);
    kept = 2;
    dropped = 2;
  }
  SECTION("the second is cut off") {
    std::filesystem::resize_file(segments[1], record_of(read_host_file(segments[1]), 1));
    kept = 3;
    dropped = 2;
  }
  SECTION("the first's first record is damaged") {
    flip(segments[0], record_of(read_host_file(segments[0]), 0));
    kept = 0;
    dropped = 5;
  }
  SECTION("the first is gone") {
    std::filesystem::remove(segments[0]);
    kept = 0;
    dropped = 4;
  }
  const RepairReport report = repaired(path);
  CHECK(report.changed);
  CHECK(report.damage.size() == 1);
  CHECK(report.dropped_commits == dropped);
  CHECK(std::ranges::find(report.set_aside, aside(segments[2])) != report.set_aside.end());
  CHECK(read_host_file(aside(segments[2])) == bytes);
  CHECK_FALSE(std::filesystem::exists(segments[2]));
  check_repaired(path, kept);
  CHECK(read_host_file(aside(segments[2])) == bytes);
}

TEST_CASE("repair makes a lost manifest anew from the segments", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  make_six(path, GENERATE(false, true));
  const std::string current = path + "/CURRENT";
  const std::string segment = segments_of(path).front();
  bool is_garbage = false;
  SECTION("gone") { std::filesystem::remove(current); }
  SECTION("zeros") {
    write_host_file(current, std::vector<std::byte>(200));
    is_garbage = true;
  }
  SECTION("empty") {
    write_host_file(current, {});
    is_garbage = true;
  }
  SECTION("gone, beside a segment that a crash kept from being adopted") {
    std::filesystem::remove(current);
    // Of the first one, before its content was copied: shorter than what it was to take the place of.
    const log::SegmentHeader header{.segment_id = 7, .previous_segment = id_of(segment), .previous_cut = 64};
    const auto bytes = log::encode_file_header(header);
    write_host_file(path + "/segment-0000000000000007", {bytes.begin(), bytes.end()});
  }
  SECTION("gone, beside a segment whose header says what no manifest can") {
    std::filesystem::remove(current);
    const log::SegmentHeader header{
        .segment_id = 7, .previous_segment = id_of(segment), .previous_cut = 63, .base_commit = 100};
    const auto bytes = log::encode_file_header(header);
    write_host_file(path + "/segment-0000000000000007", {bytes.begin(), bytes.end()});
  }
  CHECK_FALSE(Volume::open(path));
  const RepairReport report = repaired(path);
  CHECK(report.changed);
  CHECK(report.damage.size() == 1);
  CHECK(report.dropped_commits == 0);
  CHECK(report.set_aside ==
        (is_garbage ? std::vector<std::string>{path + "/dropped-CURRENT"} : std::vector<std::string>{}));
  check_repaired(path, kFiles);
}

TEST_CASE("where nothing is left there is nothing to repair, and nothing is changed", "[store][repair]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  CHECK(repair_store(path).error().code() == ErrorCode::no_entry);
  make_six(path, false);
  std::filesystem::remove(path + "/CURRENT");
  flip(segment_of(path), 20);
  const auto before = files_in(path);
  CHECK(repair_store(path).error().code() == ErrorCode::no_entry);
  CHECK(files_in(path) == before);
}

TEST_CASE("a repair that fails at any call can be done again", "[store][repair]") {
  const TempDir directory;
  const std::string damaged = directory.path("damaged");
  make_six(damaged, true);
  const auto segments = segments_of(damaged);
  flip(segments[1], record_of(read_host_file(segments[1]), 1));
  const int error_number = GENERATE(EIO, ENOSPC);
  const std::string path = directory.path("store");
  for (std::uint64_t n = 1;; ++n) {
    INFO(n);
    copy_killed(damaged, path);
    FaultIo io(base::system_io());
    io.fail({.nth = n, .for_ever = true}, error_number);
    const auto report = store::repair(io, path);
    if (!io.struck()) {
      REQUIRE(report);
      CHECK(report->changed);
      break;
    }
    if (!report) CHECK(report.error().to_errno() == error_number);
    repaired(path);
    check_repaired(path, 3);
  }
}
