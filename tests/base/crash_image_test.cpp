#include <fcntl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/crash_disk.h"

using namespace std::string_literals;
using packfs::testing::CrashDisk;
using packfs::testing::Damage;
using packfs::testing::kDamages;

namespace {

using Text = std::optional<std::string>;
constexpr std::uint64_t kSeeds = 64;

/// What the file at `path` holds; nothing when there is none.
Text text_on(CrashDisk& disk, const char* path) {
  const int fd = disk.openat(AT_FDCWD, path, O_RDONLY, 0);
  if (fd < 0) return std::nullopt;
  std::string text(1 << 16, '\0');
  const ssize_t got = disk.pread(fd, text.data(), text.size(), 0);
  disk.close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

struct BeforeCrash {
  CrashDisk disk;

  int open(const char* path) { return disk.openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600); }
  void write(int fd, std::string_view text, off_t offset = 0) {
    REQUIRE(disk.pwrite(fd, text.data(), text.size(), offset) == static_cast<ssize_t>(text.size()));
  }
  void sync_directory(const char* path) {
    const int fd = disk.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    REQUIRE(disk.fsync(fd) == 0);
    disk.close(fd);
  }
  /// A file whose bytes and name are durable.
  int durable(const char* path, std::string_view text) {
    const int fd = open(path);
    write(fd, text);
    REQUIRE(disk.fsync(fd) == 0);
    const std::string parent(path, std::string_view(path).rfind('/') + 1);
    sync_directory(parent.c_str());
    return fd;
  }
  bool rename(const char* from, const char* to) { return disk.renameat2(AT_FDCWD, from, AT_FDCWD, to, 0) == 0; }
  bool unlink(const char* path) { return disk.unlinkat(AT_FDCWD, path, 0) == 0; }

  Text after(Damage damage, const char* path, std::uint64_t seed = 1) {
    return text_on(*disk.crash_image(seed, damage), path);
  }
  /// What the file holds after `damage`, over the seeds.
  std::set<Text> seen(Damage damage, const char* path) {
    std::set<Text> texts;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) texts.insert(after(damage, path, seed));
    return texts;
  }
  /// The same of several files together, after every damage.
  std::set<std::vector<Text>> seen_together(const std::vector<const char*>& paths) {
    std::set<std::vector<Text>> found;
    for (const Damage damage : kDamages) {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const auto image = disk.crash_image(seed, damage);
        std::vector<Text> texts;
        for (const char* path : paths) texts.push_back(text_on(*image, path));
        found.insert(std::move(texts));
      }
    }
    return found;
  }
};

bool starts_as(const Text& text, const std::string& whole) { return text && whole.starts_with(*text); }

}  // namespace

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
  CHECK(std::ranges::any_of(random, [](const Text& text) { return !starts_as(text->substr(0, 1), "1"); }));
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

TEST_CASE_METHOD(BeforeCrash, "the same seed gives the same image, other seeds others", "[crash_disk]") {
  for (const char* path : {"/a", "/b", "/c"}) {
    const int fd = durable(path, "");
    for (int i = 0; i < 8; ++i) write(fd, std::string(700, static_cast<char>('a' + i)), 700 * i);
  }
  for (const Damage damage : kDamages) {
    for (const char* path : {"/a", "/b", "/c"}) CHECK(after(damage, path, 5) == after(damage, path, 5));
  }
  CHECK(seen(Damage::each_random, "/b").size() > kSeeds / 2);
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
