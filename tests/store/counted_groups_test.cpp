#include <catch2/catch.hpp>
#include <string>

#include "packfs/store.h"
#include "store/made_segment.h"
#include "store/stores.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

// What no writer leaves, but whoever reads must agree on: one who opens for writing or for reading, a check, a repair.
namespace {

/// The names in the root directory, as a reader finds them and then a writer: they must not differ.
std::string names_in(const std::string& path) {
  std::string names;
  for (const bool read_only : {true, false}) {
    StoreOptions options;
    options.read_only = read_only;
    const auto volume = Volume::open(path, options);
    std::string found = volume ? "" : volume.error().message();
    if (volume) {
      Listing listing = volume->list();
      for (const auto& entry : listing) found += std::string(entry->name()) + " ";
    }
    if (!read_only) CHECK(found == names);
    names = found;
  }
  return names;
}

}  // namespace

TEST_CASE("no group behind the mark of an orderly closing counts", "[store][groups]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  MadeSegment segment(1);
  segment.add("before", 1, segment.end());
  const std::uint64_t end = segment.end();
  segment.mark(2);
  const std::uint64_t mark_end = segment.end();
  SECTION("one that says nothing of it") {
    segment.add("behind", 3, 64);
    make_store(path, {segment});
    const auto report = check_store(path);
    CHECK(report->damages == 0);
    CHECK(report->commits == 1);
    CHECK(report->last_commit == 1);
    CHECK(report->unfinished_bytes > 64);
    const auto repaired = repair_store(path);
    REQUIRE(repaired);
    CHECK_FALSE(repaired->changed);
    CHECK(repaired->last_commit == 1);
    CHECK(names_in(path) == "before ");
    CHECK(check_store(path)->damages == 0);
  }
  SECTION("one that knows something else to have been durable in its place") {
    segment.add("behind", 3, mark_end);
    make_store(path, {segment});
    const auto report = check_store(path);
    REQUIRE(report->damages == 1);
    CHECK(report->damage[0].offset() == end);
    CHECK(report->commits == 1);
    CHECK(names_in(path).find("corrupt at offset " + std::to_string(end)) != std::string::npos);
    const auto repaired = repair_store(path);
    REQUIRE(repaired);
    CHECK(repaired->changed);
    REQUIRE(repaired->damage.size() == 1);
    CHECK(repaired->damage[0].message() == report->damage[0].message());
    CHECK(repaired->last_commit == 1);
    CHECK(repaired->dropped_commits == 1);
    CHECK(names_in(path) == "before ");
  }
}

TEST_CASE("a durable group that is gone as if never written is lost for whoever opens", "[store][groups]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  MadeSegment segment(1);
  segment.add("a", 1, segment.end());
  const std::uint64_t begin = segment.end();
  segment.add("b", 2, begin);
  const std::uint64_t end = segment.end();
  segment.add("c", 3, end);
  segment.erase(begin, end);
  make_store(path, {segment});
  CHECK(names_in(path).find("corrupt at offset " + std::to_string(begin)) != std::string::npos);
  const auto report = check_store(path);
  REQUIRE(report->damages == 1);
  CHECK(report->damage[0].offset() == begin);
  CHECK(repair_store(path)->dropped_commits == 1);
  CHECK(names_in(path) == "a ");
}

TEST_CASE("in a segment that another follows a mark ends nothing", "[store][groups]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  MadeSegment first(1);
  first.add("a", 1, first.end());
  first.mark(2);
  const std::uint64_t behind = first.end();
  first.add("b", 3, first.end());
  SECTION("whole") {
    MadeSegment second(2, 1, first.end(), 10);
    second.add("c", 11, second.end());
    make_store(path, {first, second});
    const auto report = check_store(path);
    CHECK(report->damages == 0);
    CHECK(report->commits == 3);
    CHECK_FALSE(repair_store(path)->changed);
    CHECK(names_in(path) == "a b c ");
  }
  SECTION("damaged behind it") {
    MadeSegment second(2, 1, first.end(), 10);
    first.damage(behind + 20);
    make_store(path, {first, second});
    const auto report = check_store(path);
    REQUIRE(report->damages == 1);
    CHECK(report->damage[0].offset() == behind);
    CHECK(names_in(path).find("corrupt at offset " + std::to_string(behind)) != std::string::npos);
  }
}

TEST_CASE("a group behind the cut of its segment is not counted as dropped", "[store][groups]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  MadeSegment first(1);
  first.add("a", 1, first.end());
  const std::uint64_t damaged = first.end();
  first.add("b", 2, first.end());
  first.cut_here();
  first.add("taken back", 3, first.end());
  first.damage(damaged + 20);
  MadeSegment second(2, 1, first.cut(), 10);
  second.add("c", 11, second.end());
  make_store(path, {first, second});
  const auto report = repair_store(path);
  REQUIRE(report);
  CHECK(report->dropped_commits == 1);
  CHECK(names_in(path) == "a ");
}
