#include <fcntl.h>

#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/before_crash.h"

using namespace std::string_literals;
using packfs::testing::BeforeCrash;
using packfs::testing::CrashDisk;
using packfs::testing::Damage;
using packfs::testing::Text;

TEST_CASE_METHOD(BeforeCrash, "a new file is missing, empty or whole until it and its directory were synced",
                 "[crash_disk]") {
  const int fd = open("/file");
  write(fd, "text");
  CHECK(after(Damage::all_lost, "/file") == std::nullopt);
  CHECK(after(Damage::data_only, "/file") == std::nullopt);
  CHECK(after(Damage::names_only, "/file") == "");
  CHECK(after(Damage::all_kept, "/file") == "text");
  REQUIRE(disk.fsync(fd) == 0);
  CHECK(seen(Damage::each_random, "/file") == std::set<Text>{std::nullopt, "text"});
  sync_directory("/");
  CHECK(seen_together({"/file"}) == std::set<std::vector<Text>>{{"text"}});
}

TEST_CASE_METHOD(BeforeCrash, "a file is lost with the name of its directory", "[crash_disk]") {
  REQUIRE(disk.mkdirat(AT_FDCWD, "/d", 0700) == 0);
  durable("/d/file", "text");
  CHECK(seen_together({"/d/file"}) == std::set<std::vector<Text>>{{std::nullopt}, {"text"}});
  sync_directory("/");
  CHECK(seen_together({"/d/file"}) == std::set<std::vector<Text>>{{"text"}});
}

TEST_CASE_METHOD(BeforeCrash, "a rename that was not synced is there or not, and never half", "[crash_disk]") {
  durable("/a", "new");
  durable("/b", "old");
  REQUIRE(rename("/a", "/b"));
  const std::set<std::vector<Text>> expected{{"new", "old"}, {std::nullopt, "new"}};
  CHECK(seen_together({"/a", "/b"}) == expected);
  sync_directory("/");
  CHECK(seen_together({"/a", "/b"}) == std::set<std::vector<Text>>{{std::nullopt, "new"}});
}

TEST_CASE_METHOD(BeforeCrash, "a renamed file may be there without what was written to it", "[crash_disk]") {
  durable("/b", "old");
  write(open("/tmp"), "new");
  REQUIRE(rename("/tmp", "/b"));
  sync_directory("/");
  CHECK(seen(Damage::grown, "/b") == std::set<Text>{"\0\0\0"s});
  CHECK(after(Damage::all_lost, "/b") == "");
}

TEST_CASE_METHOD(BeforeCrash, "names are lost and kept independently", "[crash_disk]") {
  durable("/old", "old");
  durable("/1", "1");
  durable("/2", "2");
  REQUIRE(unlink("/old"));
  REQUIRE(rename("/1", "/one"));
  REQUIRE(rename("/2", "/two"));
  const auto found = seen_together({"/old", "/one", "/two"});
  CHECK(found.size() == 8);
  CHECK(seen(Damage::newest_kept_oldest_lost, "/old") == std::set<Text>{"old"});
  CHECK(seen(Damage::newest_kept_oldest_lost, "/two") == std::set<Text>{"2"});
  CHECK(seen(Damage::oldest_kept_newest_lost, "/old") == std::set<Text>{std::nullopt});
}

TEST_CASE_METHOD(BeforeCrash, "a name is not taken again before it is free", "[crash_disk]") {
  durable("/log", "1");
  REQUIRE(rename("/log", "/log.1"));
  write(open("/log"), "2");
  for (const auto& texts : seen_together({"/log", "/log.1"})) {
    CHECK((texts[0] == "1" || texts[1] == "1"));
    CHECK_FALSE((texts[0] == "1" && texts[1] == "1"));
  }
  // A directory goes only after what was moved out of it.
  REQUIRE(disk.mkdirat(AT_FDCWD, "/d", 0700) == 0);
  sync_directory("/");
  durable("/d/file", "3");
  REQUIRE(rename("/d/file", "/file"));
  REQUIRE(disk.unlinkat(AT_FDCWD, "/d", AT_REMOVEDIR) == 0);
  const std::set<std::vector<Text>> expected{{"3", std::nullopt}, {std::nullopt, "3"}};
  CHECK(seen_together({"/d/file", "/file"}) == expected);
}

TEST_CASE_METHOD(BeforeCrash, "a rename between directories is durable when either was synced", "[crash_disk]") {
  REQUIRE(disk.mkdirat(AT_FDCWD, "/a", 0700) == 0);
  REQUIRE(disk.mkdirat(AT_FDCWD, "/b", 0700) == 0);
  sync_directory("/");
  durable("/a/file", "text");
  REQUIRE(rename("/a/file", "/b/file"));
  const std::set<std::vector<Text>> either{{"text", std::nullopt}, {std::nullopt, "text"}};
  CHECK(seen_together({"/a/file", "/b/file"}) == either);
  sync_directory(GENERATE("/a", "/b"));
  CHECK(seen_together({"/a/file", "/b/file"}) == std::set<std::vector<Text>>{{std::nullopt, "text"}});
}

TEST_CASE_METHOD(BeforeCrash, "a sync takes along what the names it makes durable build on", "[crash_disk]") {
  for (const char* path : {"/a", "/b", "/c"}) REQUIRE(disk.mkdirat(AT_FDCWD, path, 0700) == 0);
  sync_directory("/");
  durable("/a/file", "text");
  REQUIRE(rename("/a/file", "/b/file"));
  REQUIRE(rename("/b/file", "/c/file"));
  sync_directory("/c");
  const std::set<std::vector<Text>> expected{{std::nullopt, std::nullopt, "text"}};
  CHECK(seen_together({"/a/file", "/b/file", "/c/file"}) == expected);
}

TEST_CASE_METHOD(BeforeCrash, "directories that are moved past each other are never lost", "[crash_disk]") {
  REQUIRE(disk.mkdirat(AT_FDCWD, "/a", 0700) == 0);
  REQUIRE(disk.mkdirat(AT_FDCWD, "/b", 0700) == 0);
  durable("/a/f", "f");
  durable("/b/g", "g");
  REQUIRE(rename("/a", "/b/a"));
  sync_directory("/");
  REQUIRE(rename("/b/a", "/a"));
  REQUIRE(rename("/b", "/a/b"));
  // In the order of the three: as it was synced, after one move, after both.
  const std::set<std::vector<Text>> expected{{"f", "g", std::nullopt, std::nullopt},
                                             {std::nullopt, "g", "f", std::nullopt},
                                             {std::nullopt, std::nullopt, "f", "g"}};
  CHECK(seen_together({"/b/a/f", "/b/g", "/a/f", "/a/b/g"}) == expected);
}

TEST_CASE_METHOD(BeforeCrash, "a failed sync of a directory leaves its names unsynced", "[crash_disk]") {
  durable("/a", "text");
  REQUIRE(rename("/a", "/b"));
  disk.fail(disk.calls() + 1, EIO, CrashDisk::Times::once);
  const int root = disk.openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
  CHECK(disk.fsync(root) == -EIO);
  CHECK(seen(Damage::each_random, "/b") == std::set<Text>{std::nullopt, "text"});
  CHECK(disk.fsync(root) == 0);
  CHECK(after(Damage::all_lost, "/b") == "text");
}
