#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "packfs/volume.h"
#include "store/made_segment.h"
#include "store/stores.h"
#include "support/packs.h"

namespace {

namespace fs = std::filesystem;
using packfs::Volume;
using packfs::testing::bytes_of;
using packfs::testing::must;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;
using packfs::testing::segment_of;
using packfs::testing::segments_of;

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<nlohmann::json> objects_in(const std::string& text) {
  std::vector<nlohmann::json> objects;
  for (const std::string& line : lines_in(text)) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

/// A line without what differs from run to run: the segment's id and the times.
std::string timeless(const std::string& line) {
  return std::regex_replace(std::regex_replace(line, std::regex("^[0-9a-f]{16}"), "SEGMENT"),
                            std::regex("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z"), "TIME");
}

/// One call of each kind, each a commit.
void fill_with_everything(const std::string& path) {
  packfs::StoreOptions options;
  options.uid = 1;
  options.gid = 2;
  auto volume = Volume::open(path, options);
  REQUIRE(volume);
  must(volume->make_directory("dir", 0700));
  must(volume->write("dir/sub/file", bytes_of("hello"), packfs::make_parents));
  must(volume->append("dir/sub/file", bytes_of("more"), {.mode = 0600}));
  must(volume->write_at("dir/sub/file", 2, bytes_of("xy")));
  must(volume->truncate("dir/sub/file", 3));
  must(volume->symlink("tar get", "link"));
  must(volume->make_special("null", packfs::FileType::character_device, 0666, 1, 3));
  must(volume->link("null", "zero"));
  must(volume->chmod("null", 0600));
  must(volume->chown("null", UINT32_MAX, 7));
  must(volume->set_mtime("link", {.seconds = 0, .nanoseconds = 5}, packfs::LastLink::kept));
  must(volume->set_xattr("dir", "user.a", bytes_of("value")));
  must(volume->remove_xattr("dir", "user.a"));
  must(volume->rename("zero", "nought", packfs::RenameMode::no_replace));
  must(volume->clone("dir", "copy"));
  must(volume->unlink("nought"));
  must(volume->remove_tree("copy"));
}

TEST_CASE("log shows every kind of record with its fields", "[cli][log]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  fill_with_everything(path);
  const Outcome log = run_cli({"log", path});
  CHECK(log.exit_code == 0);
  CHECK(log.err.empty());
  const std::string id = fs::path(segment_of(path)).filename().string().substr(8);
  std::vector<std::string> operations;
  std::size_t commits = 0;
  for (const std::string& line : lines_in(log.out)) {
    CHECK(line.starts_with(id + " "));
    const std::string text = timeless(line);
    if (text.find(" commit records=1 synced_end=") != std::string::npos) {
      ++commits;
    } else {
      operations.push_back(std::regex_replace(text, std::regex("^SEGMENT \\d+ \\d+ "), ""));
    }
  }
  CHECK(commits == 17);
  const std::vector<std::string> expected{
      "mkdir mode=0700 owner=1:2 inode=2 link_id=1 ctime=TIME dir",
      "put mode=0644 owner=1:2 bytes=5 flags=with_parents inode=3 link_id=1 ctime=TIME dir/sub/file",
      "write mode=0600 owner=1:2 bytes=4 inode=5 link_id=1 ctime=TIME dir/sub/file",
      "write offset=2 bytes=2 inode=5 link_id=1 ctime=TIME dir/sub/file",
      "truncate size=3 inode=5 link_id=1 ctime=TIME dir/sub/file",
      "symlink owner=1:2 bytes=7 inode=5 link_id=1 ctime=TIME link -> tar get",
      "special kind=character_device device=1,3 mode=0666 owner=1:2 inode=6 link_id=1 ctime=TIME null",
      "link inode=7 link_id=1 ctime=TIME zero -> null",
      "setattr mode=0600 inode=7 link_id=2 ctime=TIME null",
      "setattr owner=-:7 inode=7 link_id=2 ctime=TIME null",
      "setattr mtime=TIME flags=link_itself inode=7 link_id=2 ctime=TIME link",
      "xattr xattr=user.a(5 bytes) inode=7 link_id=2 ctime=TIME dir",
      "xattr xattr=user.a(0 bytes) flags=taken_away inode=7 link_id=2 ctime=TIME dir",
      "rename flags=no_replace inode=7 link_id=2 ctime=TIME zero -> nought",
      "clone inode=7 link_id=2 ctime=TIME dir -> copy",
      "remove inode=7 link_id=2 ctime=TIME nought",
      "remove flags=whole_tree inode=7 link_id=2 ctime=TIME copy"};
  REQUIRE(operations.size() == expected.size() + 1);
  CHECK(std::vector<std::string>(operations.begin(), operations.end() - 1) == expected);
  CHECK(std::regex_match(operations.back(), std::regex("mark records=0 synced_end=\\d+")));
}

TEST_CASE("log escapes names at a terminal, and ends lines with NUL on demand", "[cli][log][names]") {
  const SampleStore s;
  s.must({"ln", "-s", "\x1b[2J", "a\nb"});
  const Outcome shown = s.run({"log"}, {.out_is_terminal = true});
  CHECK(shown.out.find(" a\\nb -> \\x1b[2J\n") != std::string::npos);
  CHECK(shown.out.find('\x1b') == std::string::npos);
  using namespace std::string_literals;
  CHECK(s.run({"log", "-0"}).out.find(" a\nb -> \x1b[2J\0"s) != std::string::npos);
}

TEST_CASE("log --json has the fields as values", "[cli][log][json]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  fill_with_everything(path);
  const std::vector<nlohmann::json> objects = objects_in(run_cli({"log", "--json", path}).out);
  REQUIRE(objects.size() == 35);
  CHECK(objects[0] == nlohmann::json{{"segment", fs::path(segment_of(path)).filename().string().substr(8)},
                                     {"offset", 64},
                                     {"commit", objects[1]["commit"]},
                                     {"type", "mkdir"},
                                     {"path", "dir"},
                                     {"mode", "0700"},
                                     {"uid", 1},
                                     {"gid", 2},
                                     {"inode", 2},
                                     {"link_id", 1},
                                     {"ctime", objects[0]["ctime"]}});
  CHECK(objects[1]["type"] == "commit");
  CHECK(objects[1]["records"] == 1);
  CHECK(objects[1]["synced_end"] == 64);
  CHECK(objects[3]["commit"] > objects[1]["commit"]);
  CHECK(objects[2]["bytes"] == 5);
  CHECK(objects[2]["flags"] == "with_parents");
  CHECK(objects[6]["offset_in_file"] == 2);
  CHECK(objects[10]["target"] == "tar get");
  CHECK(objects[12]["kind"] == "character_device");
  CHECK(objects[12]["device_minor"] == 3);
  CHECK(objects[18]["uid"].is_null());
  CHECK(objects[18]["gid"] == 7);
  CHECK(objects[20]["mtime"] == "1970-01-01T00:00:00.000000005Z");
  CHECK(objects[22]["xattrs"] == nlohmann::json{{{"name", "user.a"}, {"bytes", 5}}});
  CHECK(objects[34]["type"] == "mark");
}

TEST_CASE("log goes through all segments, and through transactions as one commit", "[cli][log]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  {
    packfs::StoreOptions options;
    options.segment_bytes = 1500;
    auto volume = Volume::open(path, options);
    REQUIRE(volume);
    for (int i = 0; i < 5; ++i) {
      auto transaction = volume->begin();
      REQUIRE(transaction);
      must(transaction->write(std::to_string(i), bytes_of(std::string(1000, 'x'))));
      must(transaction->chmod(std::to_string(i), 0600));
      REQUIRE(transaction->commit());
    }
  }
  std::set<std::string> segments;
  std::size_t puts = 0;
  for (const nlohmann::json& object : objects_in(run_cli({"log", "--json", path}).out)) {
    segments.insert(object["segment"]);
    if (object["type"] == "put") ++puts;
    if (object["type"] == "commit") CHECK(object["records"] == 2);
  }
  CHECK(puts == 5);
  CHECK(segments.size() == segments_of(path).size());
  CHECK(segments.size() > 1);
}

TEST_CASE("log names damage with its offset, and shows what comes before and in other segments", "[cli][log][damage]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  {
    packfs::StoreOptions options;
    options.segment_bytes = 2000;
    auto volume = Volume::open(path, options);
    REQUIRE(volume);
    for (int i = 0; i < 6; ++i) must(volume->write(std::to_string(i), bytes_of(std::string(1000, 'x'))));
  }
  const std::vector<std::string> segments = segments_of(path);
  REQUIRE(segments.size() == 3);
  const auto offset_of = [&](const std::string& name) -> std::size_t {
    for (const nlohmann::json& object : objects_in(run_cli({"log", "--json", path}).out)) {
      if (object.contains("path") && object["path"] == name) return object["offset"];
    }
    return 0;
  };
  const auto puts = [](const Outcome& log) {
    std::string names;
    for (const nlohmann::json& object : objects_in(log.out)) {
      if (object["type"] == "put") names += object["path"];
    }
    return names;
  };
  REQUIRE(puts(run_cli({"log", "--json", path})) == "012345");

  SECTION("in the head of a record") {
    const std::size_t offset = offset_of("3");
    packfs::testing::flip(segments[1], offset + 3);
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err.starts_with("packfs: " + segments[1] + ": corrupt at offset " + std::to_string(offset)));
    CHECK(puts(log) == "01245");
  }
  SECTION("in the last segment") {
    const std::size_t offset = offset_of("4");
    packfs::testing::flip(segments[2], offset + 3);
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err.starts_with("packfs: " + segments[2] + ": corrupt at offset " + std::to_string(offset)));
    CHECK(puts(log) == "0123");
  }
  SECTION("a segment that is gone") {
    fs::remove(segments[0]);
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err == "packfs: " + segments[0] + ": No such file or directory\n");
    CHECK(puts(log) == "2345");
  }
  SECTION("a segment that is cut off") {
    fs::resize_file(segments[1], offset_of("3"));
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err.find(segments[1] + ": corrupt at offset ") != std::string::npos);
    CHECK(log.err.find("(the segment is cut off)") != std::string::npos);
    CHECK(puts(log) == "01245");
  }
  SECTION("a manifest") {
    packfs::testing::flip(path + "/CURRENT", 20);
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err.starts_with("packfs: " + path + "/CURRENT: corrupt at offset "));
    CHECK(log.out.empty());
  }
}

TEST_CASE("log judges what a mark means as opening does", "[cli][log]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  packfs::testing::MadeSegment first(1);
  first.add("a", 1, first.end());
  const std::uint64_t end = first.end();
  first.mark(2);
  SECTION("what is lost in its place is told, and itself once") {
    first.add("b", 3, first.end());
    packfs::testing::make_store(path, {first});
    const Outcome log = run_cli({"log", "--json", path});
    CHECK(log.exit_code == 1);
    CHECK(log.err.find("corrupt at offset " + std::to_string(end)) != std::string::npos);
    std::string types;
    for (const nlohmann::json& object : objects_in(log.out)) types += std::string(object["type"]) + " ";
    CHECK(types == "mkdir commit mark ");
  }
  SECTION("in a segment that another follows it ends nothing") {
    first.add("b", 3, first.end());
    packfs::testing::MadeSegment second(2, 1, first.end(), 10);
    second.add("c", 11, second.end());
    packfs::testing::make_store(path, {first, second});
    std::string names;
    for (const nlohmann::json& object : objects_in(run_cli({"log", "--json", path}).out)) {
      if (object.contains("path")) names += object["path"];
    }
    CHECK(names == "abc");
  }
}

TEST_CASE("what a crash left half done is no damage to log", "[cli][log]") {
  const packfs::testing::TempDir directory;
  const std::string live = directory.path("live");
  const std::string killed = directory.path("killed");
  Volume volume = packfs::testing::open_store_at(live);
  must(volume.write("first", bytes_of("x")));
  const std::size_t first_end = packfs::testing::used(packfs::testing::read_host_file(segment_of(live)));
  must(volume.write("second", bytes_of(std::string(1000, 'y'))));
  packfs::testing::copy_killed(live, killed);
  CHECK(objects_in(run_cli({"log", "--json", killed}).out).size() == 4);
  packfs::testing::flip(segment_of(killed), first_end + 500);  // in the content
  const Outcome log = run_cli({"log", "--json", killed});
  CHECK(log.exit_code == 0);
  CHECK(log.err.empty());
  CHECK(objects_in(log.out).size() == 2);
}

TEST_CASE("log follows a store that is written", "[cli][log]") {
  const packfs::testing::TempDir directory;
  const std::string path = directory.path("store");
  Volume volume = packfs::testing::open_store_at(path);
  for (int i = 1; i <= 3; ++i) {
    must(volume.write(std::to_string(i), bytes_of("x")));
    const Outcome log = run_cli({"log", path});
    CHECK(log.exit_code == 0);
    CHECK(lines_in(log.out).size() == static_cast<std::size_t>(2 * i));
  }
}

}  // namespace
