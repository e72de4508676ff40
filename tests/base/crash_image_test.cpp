#include <fcntl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/before_crash.h"

using namespace std::string_literals;
using packfs::testing::BeforeCrash;
using packfs::testing::CrashDisk;
using packfs::testing::Damage;
using packfs::testing::kCrashSeeds;
using packfs::testing::kDamages;
using packfs::testing::Text;
using packfs::testing::text_on;

TEST_CASE_METHOD(BeforeCrash, "what was synced is there after every damage", "[crash_disk]") {
  const int fd = open("/file");
  write(fd, "first");
  CHECK((GENERATE(true, false) ? disk.fsync(fd) : disk.fdatasync(fd)) == 0);
  sync_directory("/");
  CHECK(seen_together({"/file"}) == std::set<std::vector<Text>>{{"first"}});
  // Also while later changes of the file are not.
  write(fd, "second", 5);
  for (const auto& texts : seen_together({"/file"})) {
    REQUIRE(texts[0]);
    CHECK(texts[0]->starts_with("first"));
  }
}

TEST_CASE_METHOD(BeforeCrash, "a write that was not synced is kept, lost, or damaged as it is asked", "[crash_disk]") {
  const int fd = durable("/file", "old");
  write(fd, "new-and-longer");
  CHECK(after(Damage::all_kept, "/file") == "new-and-longer");
  CHECK(after(Damage::data_only, "/file") == "new-and-longer");
  CHECK(after(Damage::all_lost, "/file") == "old");
  CHECK(after(Damage::names_only, "/file") == "old");
  CHECK(after(Damage::zeroed, "/file") == std::string(14, '\0'));
  CHECK(after(Damage::grown, "/file") == "old" + std::string(11, '\0'));
  CHECK(after(Damage::newest_kept_oldest_lost, "/file") == "old");
  CHECK(after(Damage::oldest_kept_newest_lost, "/file") == "old");
  const Text noise = after(Damage::garbage, "/file");
  REQUIRE(noise);
  CHECK(noise->size() == 14);
  CHECK(noise != "new-and-longer");
  CHECK(noise->substr(3) != std::string(11, '\0'));
  CHECK(seen(Damage::torn_sector, "/file") == std::set<Text>{"old", "new-and-longer"});
  // The program itself goes on seeing what it wrote, and so does the disk's next image.
  CHECK(text_on(disk, "/file") == "new-and-longer");
}

TEST_CASE_METHOD(BeforeCrash, "a write is torn between sectors of the file", "[crash_disk]") {
  const int fd = durable("/file", "");
  std::string text;
  for (char c = 'a'; c < 'e'; ++c) text += std::string(512, c);
  write(fd, text.substr(0, 100));
  REQUIRE(disk.fsync(fd) == 0);
  write(fd, text.substr(100, 1700), 100);  // up to 1800: sectors end at 512, 1024, 1536
  const std::string end = text.substr(0, 1800);
  std::set<Text> expected;
  for (const std::size_t cut : {512U, 1024U, 1536U}) {
    expected.insert(end.substr(0, cut));
    expected.insert(end.substr(0, cut) + std::string(1800 - cut, '\0'));
    expected.insert(end.substr(0, 100) + std::string(cut - 100, '\0') + end.substr(cut));
  }
  CHECK(seen(Damage::torn_sector, "/file") == expected);

  const std::set<Text> scattered = seen(Damage::scattered, "/file");
  CHECK(scattered.size() > 8);
  CHECK(scattered.contains(end.substr(0, 512) + std::string(512, '\0') + end.substr(1024)));
}

TEST_CASE_METHOD(BeforeCrash, "a write is torn anywhere", "[crash_disk]") {
  durable("/file", "");
  write(open("/file"), "abcd");
  const std::set<Text> expected{"a", "ab", "abc", "a\0\0\0"s, "ab\0\0"s, "abc\0"s, "\0bcd"s, "\0\0cd"s, "\0\0\0d"s};
  CHECK(seen(Damage::torn_byte, "/file") == expected);
}

TEST_CASE_METHOD(BeforeCrash, "of several writes the newest may be there without the oldest, and the other way",
                 "[crash_disk]") {
  const int fd = durable("/file", "....");
  for (const char* text : {"1", "2", "3", "4"}) write(fd, text, *text - '1');
  CHECK(seen(Damage::newest_kept_oldest_lost, "/file") == std::set<Text>{".234", "..34", "...4"});
  CHECK(seen(Damage::oldest_kept_newest_lost, "/file") == std::set<Text>{"1...", "12..", "123."});
  CHECK(seen(Damage::zeroed, "/file") == std::set<Text>{"\0..."s, "1\0.."s, "12\0."s, "123\0"s});
  const std::set<Text> random = seen(Damage::each_random, "/file");
  CHECK(random.size() > 16);
  CHECK(std::ranges::any_of(random, [](const Text& text) { return !text->starts_with("1"); }));
}

TEST_CASE_METHOD(BeforeCrash, "a cut and an extension that were not synced are kept or lost", "[crash_disk]") {
  const int fd = durable("/file", "abcdef");
  REQUIRE(disk.ftruncate(fd, 2) == 0);
  CHECK(seen(Damage::each_random, "/file") == std::set<Text>{"ab", "abcdef"});
  REQUIRE(disk.fdatasync(fd) == 0);
  REQUIRE(disk.fallocate(fd, 0, 0, 4) == 0);
  CHECK(seen(Damage::each_random, "/file") == std::set<Text>{"ab", "ab\0\0"s});
  REQUIRE(disk.fdatasync(fd) == 0);
  REQUIRE(disk.fallocate(fd, FALLOC_FL_ZERO_RANGE, 1, 4) == 0);
  CHECK(seen(Damage::torn_byte, "/file") == std::set<Text>{"ab\0\0"s, "a\0\0\0\0"s});
  REQUIRE(disk.fdatasync(fd) == 0);
  CHECK(seen_together({"/file"}) == std::set<std::vector<Text>>{{"a\0\0\0\0"s}});
}

TEST_CASE_METHOD(BeforeCrash, "a failed sync loses what it did not write, though reads still show it", "[crash_disk]") {
  const int fd = durable("/file", "old");
  write(fd, "new!");
  disk.fail(disk.calls() + 1, EIO, CrashDisk::Times::once);
  CHECK((GENERATE(true, false) ? disk.fsync(fd) : disk.fdatasync(fd)) == -EIO);
  CHECK(text_on(disk, "/file") == "new!");
  CHECK(disk.fsync(fd) == 0);  // says nothing of what was lost
  CHECK(seen_together({"/file"}) == std::set<std::vector<Text>>{{"old"}});
  write(fd, "later", 5);
  CHECK(disk.fsync(fd) == 0);
  CHECK(text_on(disk, "/file") == "new!\0later"s);
  CHECK(after(Damage::all_kept, "/file") == "old\0\0later"s);
}

TEST_CASE_METHOD(BeforeCrash, "the same seed gives the same image, other seeds others", "[crash_disk]") {
  for (const char* path : {"/a", "/b", "/c"}) {
    const int fd = durable(path, "");
    for (int i = 0; i < 8; ++i) write(fd, std::string(700, static_cast<char>('a' + i)), 700 * i);
  }
  for (const Damage damage : kDamages) {
    for (const char* path : {"/a", "/b", "/c"}) CHECK(after(damage, path, 5) == after(damage, path, 5));
  }
  CHECK(seen(Damage::each_random, "/b").size() > kCrashSeeds / 2);
  CHECK(seen_together({"/a", "/b", "/c"}).size() >= 16);
  // Files are struck each for itself.
  CHECK(after(Damage::torn_byte, "/a", 5) != after(Damage::torn_byte, "/b", 5));
}

TEST_CASE_METHOD(BeforeCrash, "an image is a disk of its own, on which everything is durable", "[crash_disk]") {
  const int fd = durable("/file", "abc");
  write(fd, "X");
  REQUIRE(disk.mkdirat(AT_FDCWD, "/d", 0700) == 0);
  struct statx before{};
  REQUIRE(disk.statx(AT_FDCWD, "/file", 0, STATX_BASIC_STATS, &before) == 0);

  const auto image = disk.crash_image(1, Damage::all_kept);
  CHECK(image->calls() == 0);
  CHECK(image->open_descriptors() == 0);
  struct statx after{};
  REQUIRE(image->statx(AT_FDCWD, "/file", 0, STATX_BASIC_STATS, &after) == 0);
  CHECK(after.stx_ino == before.stx_ino);
  CHECK(after.stx_mode == before.stx_mode);
  CHECK(text_on(*image->crash_image(1, Damage::all_lost), "/file") == "Xbc");
  CHECK(image->openat(AT_FDCWD, "/d", O_RDONLY | O_DIRECTORY, 0) >= 0);
  CHECK(text_on(*image, "/d/../file") == "Xbc");

  const int other = image->openat(AT_FDCWD, "/new", O_RDWR | O_CREAT, 0600);
  REQUIRE(image->statx(other, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &after) == 0);
  CHECK(after.stx_ino > before.stx_ino);
  const int same = image->openat(AT_FDCWD, "/file", O_RDWR, 0);
  CHECK(image->pwrite(same, "Y", 1, 0) == 1);
  CHECK(text_on(*image->crash_image(1, Damage::all_lost), "/file") == "Xbc");
  CHECK(text_on(disk, "/file") == "Xbc");
  CHECK(text_on(disk, "/new") == std::nullopt);
}

TEST_CASE_METHOD(BeforeCrash, "each crash point gives what was done before it", "[crash_disk]") {
  std::set<Text> texts;
  for (std::uint64_t n = 1; n <= 6; ++n) {
    CrashDisk fresh;
    fresh.crash_at(n);
    const int fd = fresh.openat(AT_FDCWD, "/file", O_RDWR | O_CREAT, 0600);
    const int root = fresh.openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
    fresh.fsync(root);
    fresh.write(fd, "a", 1);
    fresh.fdatasync(fd);
    fresh.write(fd, "b", 1);
    const auto image = fresh.crash_image(1, Damage::all_lost);
    texts.insert(text_on(*image, "/file"));
    CHECK(fresh.crashed() == (n < 6));
    if (n <= 2) CHECK(text_on(*image, "/file") == std::nullopt);
    if (n > 4) CHECK(text_on(*image, "/file") == "a");
  }
  CHECK(texts == std::set<Text>{std::nullopt, "", "a"});
}
