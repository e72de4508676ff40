#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"
#include "store/stores.h"
#include "support/packs.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::damage_last;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;
using packfs::testing::segment_of;

/// Three commits of one file each: "file 1", "file 2", "file 3".
struct Three : SampleStore {
  Three() {
    put("file 1", "content of first");
    put("file 2", "content of second");
    put("file 3", "content of third");
  }
  void damage_second_record() const { damage_last(segment_of(path), "file 2"); }
};

TEST_CASE("check says of a whole store what it looked at, and so does verify", "[cli][check]") {
  const Three s;
  const std::string command = GENERATE("check", "verify");
  const Outcome checked = s.run({command});
  CHECK(checked.exit_code == 0);
  CHECK(checked.err.empty());
  CHECK(checked.out.starts_with(s.path + ": whole, checked 3 commits in 1 segments, 3 records, 3 entries, "));
  CHECK(checked.out.ends_with(" bytes\n"));
  const auto object = nlohmann::json::parse(s.run({command, "--json"}).out);
  CHECK(object["path"] == s.path);
  CHECK(object["whole"] == true);
  CHECK(object["commits"] == 3);
  CHECK(object["segments"] == 1);
  CHECK(object["records_checked"] == 3);
  CHECK(object["entries_checked"] == 3);
  CHECK(object["unfinished_bytes"] == 0);
  CHECK(object["damages"] == 0);
  CHECK(object["damage"] == nlohmann::json::array());
}

TEST_CASE("check tells how much was left half done", "[cli][check]") {
  const packfs::testing::TempDir directory;
  const std::string live = directory.path("live");
  const std::string killed = directory.path("killed");
  packfs::Volume volume = packfs::testing::open_store_at(live);
  packfs::testing::must(volume.write("first", packfs::testing::bytes_of("x")));
  packfs::testing::must(volume.write("second", packfs::testing::bytes_of("content of second")));
  packfs::testing::copy_killed(live, killed);
  damage_last(segment_of(killed), "content of second");
  const Outcome checked = run_cli({"check", killed});
  CHECK(checked.exit_code == 0);
  CHECK(checked.out.find("whole, checked 1 commits") != std::string::npos);
  CHECK(checked.out.ends_with(" bytes unfinished\n"));
}

TEST_CASE("check names a damaged content and a damaged record with their offsets", "[cli][check][damage]") {
  const Three s;
  SECTION("content") { damage_last(segment_of(s.path), "content of second"); }
  SECTION("record") { s.damage_second_record(); }
  const Outcome checked = s.run({"check"});
  CHECK(checked.exit_code == 1);
  CHECK(checked.err.empty());
  CHECK(checked.out.starts_with(segment_of(s.path) + ": corrupt at offset "));
  CHECK(checked.out.find("\n" + s.path + ": damaged (1 found), checked ") != std::string::npos);
  const auto object = nlohmann::json::parse(s.run({"check", "--json"}).out);
  CHECK(object["whole"] == false);
  REQUIRE(object["damage"].size() == 1);
  CHECK(object["damage"][0]["path"] == segment_of(s.path));
  CHECK(object["damage"][0]["offset"] > 64);
}

TEST_CASE("a damaged content is named by cat, and the rest is read", "[cli][check][damage]") {
  const SampleStore s;
  s.put("large", std::string(1000, 'x') + "mark" + std::string(1000, 'x'));
  s.put("second", "x");
  damage_last(segment_of(s.path), "mark");
  const Outcome some = s.run({"cat", "large", "second"});
  CHECK(some.exit_code == 3);
  CHECK(some.out == "x");
  CHECK(some.err.starts_with("packfs: large: " + segment_of(s.path) + ": corrupt at offset "));
}

TEST_CASE("repair changes nothing where nothing is damaged", "[cli][repair]") {
  const Three s;
  const Outcome repaired = s.run({"repair"});
  CHECK(repaired.exit_code == 0);
  CHECK(repaired.err.empty());
  CHECK(repaired.out.starts_with(s.path + ": nothing to repair, last commit "));
  const auto object = nlohmann::json::parse(s.run({"repair", "--json"}).out);
  CHECK(object["changed"] == false);
  CHECK(object["damage"] == nlohmann::json::array());
  CHECK(object["set_aside"] == nlohmann::json::array());
  CHECK(s.names() == "file 1\nfile 2\nfile 3\n");
}

TEST_CASE("repair keeps what comes before the damage, and says what was lost", "[cli][repair][damage]") {
  const Three s;
  s.damage_second_record();
  CHECK(s.run({"ls"}).exit_code == 1);
  const bool json = GENERATE(false, true);
  const std::string segment = segment_of(s.path);
  const Outcome repaired = json ? s.run({"repair", "--json"}) : s.run({"repair"});
  CHECK(repaired.exit_code == 3);
  CHECK(repaired.err.empty());
  if (json) {
    const auto object = nlohmann::json::parse(repaired.out);
    CHECK(object["changed"] == true);
    CHECK(object["dropped_commits"] == 1);
    REQUIRE(object["damage"].size() == 1);
    CHECK(object["damage"][0]["path"] == segment);
  } else {
    CHECK(repaired.out.starts_with(segment + ": corrupt at offset "));
    CHECK(repaired.out.find(s.path + ": repaired, last commit ") != std::string::npos);
    CHECK(repaired.out.ends_with(", 1 later commits dropped\n"));
  }
  CHECK(s.names() == "file 1\n");
  CHECK(s.cat("file 1") == "content of first");
  CHECK(s.run({"check"}).exit_code == 0);
  s.put("file 2", "again");
  CHECK(s.names() == "file 1\nfile 2\n");
}

TEST_CASE("repair makes a lost manifest anew", "[cli][repair][damage]") {
  const Three s;
  fs::remove(s.path + "/CURRENT");
  CHECK(s.run({"check"}).exit_code == 1);
  const Outcome repaired = s.run({"repair"});
  CHECK(repaired.exit_code == 3);
  CHECK(repaired.out.find("CURRENT") != std::string::npos);
  CHECK(s.names() == "file 1\nfile 2\nfile 3\n");
}

TEST_CASE("repair names a file that it sets aside", "[cli][repair][damage]") {
  const Three s;
  packfs::testing::flip(s.path + "/CURRENT", 20);
  const Outcome repaired = s.run({"repair"});
  CHECK(repaired.exit_code == 3);
  CHECK(repaired.out.find("set aside: " + s.path + "/dropped-CURRENT\n") != std::string::npos);
  CHECK(fs::exists(s.path + "/dropped-CURRENT"));
  CHECK(s.names() == "file 1\nfile 2\nfile 3\n");
}

TEST_CASE("repair leaves nothing in a directory that is no store", "[cli][repair]") {
  const packfs::testing::TempDir directory;
  const Outcome repaired = run_cli({"repair", directory.path()});
  CHECK(repaired.exit_code == 1);
  CHECK(repaired.err ==
        "packfs: " + directory.path("CURRENT") + ": No such file or directory (there is no store here)\n");
  CHECK(fs::is_empty(directory.path()));
}

}  // namespace
