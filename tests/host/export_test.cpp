#include "host/export.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "host/buffer_source.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

using namespace packfs;
using namespace packfs::testing;
using host::ExportOptions;
using host::ExportReport;

namespace {

using Lines = std::vector<std::string>;
using tree::Sink;

struct stat lstat_of(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) status.st_mode = 0;
  return status;
}
bool exists(const std::string& path) { return lstat_of(path).st_mode != 0; }

std::string target_of(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t got = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return target;
}

/// Attributes of which a test names those it is about.
struct Given {
  std::uint32_t mode = 0644;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Time mtime = {};
  std::vector<Xattr> xattrs = {};
  operator Attributes() const {  // NOLINT(google-explicit-constructor): a notation for tests
    return {.mode = mode, .uid = uid, .gid = gid, .mtime = mtime, .xattrs = xattrs};
  }
};

/// Fills a MemoryTree by hand.
class Filler {
 public:
  Sink::DirectoryId directory(Sink::DirectoryId parent, const std::string& name, const Given& given = {.mode = 0755}) {
    auto added = tree.add_directory(parent, name, given);
    REQUIRE(added);
    return *added;
  }
  Sink::EntryId file(Sink::DirectoryId parent, const std::string& name, const std::string& content,
                     const Given& given = {}) {
    host::BufferSource source(std::as_bytes(std::span(content)));
    auto added = tree.add_file(parent, name, given, source);
    REQUIRE(added);
    return added->entry;
  }
  void symlink(Sink::DirectoryId parent, const std::string& name, const std::string& target) {
    REQUIRE(tree.add_symlink(parent, name, {}, target));
  }
  MemoryTree tree;
};

struct Exported {
  Result<void> result;
  ExportReport report;
};
Exported export_to(const std::string& target, const View& view, const ExportOptions& options = {},
                   base::Io& io = base::system_io()) {
  auto exporter = host::Exporter::open(io, view, target, options);
  REQUIRE(exporter);
  Exported exported;
  exported.result = exporter->write_all();
  exported.report = exporter->report();
  return exported;
}

Lines paths_of(const std::vector<host::Problem>& problems) {
  Lines paths;
  for (const auto& problem : problems) paths.push_back(problem.path);
  return paths;
}

}  // namespace

TEST_CASE("what is no directory is replaced whole, never written into", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  const std::string long_name(255, 'n');
  filler.file(Sink::kRoot, "file", "new");
  filler.file(Sink::kRoot, long_name, "new long");
  filler.file(Sink::kRoot, "over symlink", "new");
  filler.symlink(Sink::kRoot, "link", "new target");
  filler.symlink(Sink::kRoot, "over file", "new target");
  REQUIRE(filler.tree.add_special(Sink::kRoot, "fifo", {}, FileType::fifo, 0, 0));

  REQUIRE(::mkdir(dir.path("t").c_str(), 0755) == 0);
  write_file(dir.path("outside"), "outside");
  write_file(dir.path("t/file"), "old, and longer");
  REQUIRE(::link(dir.path("t/file").c_str(), dir.path("other name").c_str()) == 0);
  write_file(dir.path("t/" + long_name), "old");
  REQUIRE(::symlink("../outside", dir.path("t/over symlink").c_str()) == 0);
  REQUIRE(::symlink("old target", dir.path("t/link").c_str()) == 0);
  write_file(dir.path("t/over file"), "old");
  write_file(dir.path("t/fifo"), "old");

  const auto exported = export_to(dir.path("t"), filler.tree.view());
  REQUIRE(exported.result);
  CHECK(lines_of(exported.report.failed) == Lines{});
  CHECK(read_file(dir.path("t/file")) == "new");
  CHECK(read_file(dir.path("other name")) == "old, and longer");
  CHECK(read_file(dir.path("t/" + long_name)) == "new long");
  CHECK(S_ISREG(lstat_of(dir.path("t/over symlink")).st_mode));
  CHECK(read_file(dir.path("t/over symlink")) == "new");
  CHECK(read_file(dir.path("outside")) == "outside");
  CHECK(target_of(dir.path("t/link")) == "new target");
  CHECK(target_of(dir.path("t/over file")) == "new target");
  CHECK(S_ISFIFO(lstat_of(dir.path("t/fifo")).st_mode));
  const auto names = import_into_memory({dir.path("t")});
  CHECK(names.report.entries == 6);
}

TEST_CASE("a directory against anything else is refused and named, and nothing beyond is touched", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  for (const char* name : {"at file", "at link", "at link to directory", "good"}) {
    filler.file(filler.directory(Sink::kRoot, name), "inside", "new");
  }
  filler.file(Sink::kRoot, "at directory", "new");
  filler.symlink(Sink::kRoot, "link at directory", "x");

  for (const char* name : {"t", "outside", "t/at directory", "t/link at directory", "t/good"}) {
    REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  }
  write_file(dir.path("t/at file"), "old");
  write_file(dir.path("t/good/kept"), "old");
  REQUIRE(::symlink("nowhere", dir.path("t/at link").c_str()) == 0);
  REQUIRE(::symlink("../outside", dir.path("t/at link to directory").c_str()) == 0);

  const auto exported = export_to(dir.path("t"), filler.tree.view());
  REQUIRE(exported.result);
  CHECK(paths_of(exported.report.failed) ==
        Lines{"at directory", "link at directory", "at file", "at link", "at link to directory"});
  CHECK_FALSE(exists(dir.path("outside/inside")));
  CHECK(read_file(dir.path("t/at file")) == "old");
  CHECK(target_of(dir.path("t/at link to directory")) == "../outside");
  CHECK(S_ISDIR(lstat_of(dir.path("t/at directory")).st_mode));
  CHECK(read_file(dir.path("t/good/inside")) == "new");
  CHECK(read_file(dir.path("t/good/kept")) == "old");
}

TEST_CASE("names that no directory may hold are refused, whatever a view says", "[host][export][hostile]") {
  const TempDir dir(kTmpfs);
  REQUIRE(::mkdir(dir.path("t").c_str(), 0755) == 0);
  const FileType type = GENERATE(FileType::regular, FileType::directory, FileType::symlink);
  const Lines names{
      "..", ".", "", "../escaped", "/tmp/packfs-escaped", "a/b", std::string("n\0l", 3), std::string(256, 'x')};
  for (const std::string& name : names) {
    CAPTURE(name);
    MemoryTree tree;
    MemoryTree::Inode inode;
    inode.type = type;
    inode.target = "x";
    tree.add_unchecked(name, inode);
    const auto exported = export_to(dir.path("t"), tree.view());
    REQUIRE(exported.result);
    CHECK(exported.report.failed.size() == 1);
    CHECK(exported.report.entries == 0);
  }
  CHECK(import_into_memory({dir.path()}).report.entries == 1);
  CHECK_FALSE(exists("/tmp/packfs-escaped"));
}

TEST_CASE("a symlink that a view made first is not followed afterwards", "[host][export][hostile]") {
  // What a view cannot hold, two exports one after the other can.
  const TempDir dir(kTmpfs);
  REQUIRE(::mkdir(dir.path("outside").c_str(), 0755) == 0);
  Filler first;
  first.symlink(Sink::kRoot, "d", "../outside");
  Filler second;
  second.file(second.directory(Sink::kRoot, "d"), "planted", "x");
  REQUIRE(export_to(dir.path("t"), first.tree.view()).report.exact());
  const auto exported = export_to(dir.path("t"), second.tree.view());
  CHECK(paths_of(exported.report.failed) == Lines{"d"});
  CHECK_FALSE(exists(dir.path("outside/planted")));
}

TEST_CASE("setid bits, devices and capabilities are made with privilege only, else named", "[host][export][root]") {
  if (::geteuid() != 0) return;
  const TempDir dir(kTmpfs);
  Filler filler;
  const std::string capability("\x01\0\0\x02\x00\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
  const auto bytes = std::as_bytes(std::span(capability));
  filler.file(Sink::kRoot, "capable", "c",
              {.mode = 0755, .xattrs = {{.name = "security.capability", .value = {bytes.begin(), bytes.end()}}}});
  filler.file(Sink::kRoot, "setuid", "s", {.mode = 06755, .uid = 1000, .gid = 1000});
  REQUIRE(filler.tree.add_special(Sink::kRoot, "null", Given{.mode = 0666}, FileType::character_device, 1, 3));
  filler.directory(Sink::kRoot, "sticky setgid", {.mode = 03777});

  SECTION("without") {
    const auto exported = export_to(dir.path("t"), filler.tree.view());
    CHECK(paths_of(exported.report.withheld) == Lines{"capable", "null", "setuid", "sticky setgid"});
    CHECK(exported.report.failed.empty());
    CHECK(exported.report.incomplete.empty());
    CHECK_FALSE(exists(dir.path("t/null")));
    CHECK((lstat_of(dir.path("t/setuid")).st_mode & 07777) == 0755);
    CHECK((lstat_of(dir.path("t/sticky setgid")).st_mode & 07777) == 01777);
    CHECK(::getxattr(dir.path("t/capable").c_str(), "security.capability", nullptr, 0) < 0);
  }
  SECTION("with") {
    const auto exported = export_to(dir.path("t"), filler.tree.view(), {.privileged = true});
    CHECK(exported.report.exact());
    CHECK(lstat_of(dir.path("t/null")).st_rdev == lstat_of("/dev/null").st_rdev);
    CHECK((lstat_of(dir.path("t/setuid")).st_mode & 07777) == 06755);
    CHECK(lstat_of(dir.path("t/setuid")).st_uid == 1000);
    CHECK((lstat_of(dir.path("t/sticky setgid")).st_mode & 07777) == 03777);
    CHECK(::getxattr(dir.path("t/capable").c_str(), "security.capability", nullptr, 0) == 20);
  }
}

TEST_CASE("a user's export names no owners, but counts them", "[host][export][root]") {
  if (::geteuid() != 0) return;
  const TempDir dir(kTmpfs);
  REQUIRE(::chmod(dir.path().c_str(), 01777) == 0);
  Filler filler;
  const auto value = std::as_bytes(std::span(std::string_view("v")));
  const std::vector<Xattr> xattrs{{.name = "user.x", .value = {value.begin(), value.end()}}};
  const auto closed =
      filler.directory(Sink::kRoot, "read-only", {.mode = 0555, .uid = 65534, .gid = 65534, .xattrs = xattrs});
  filler.file(closed, "read-only", "r", {.mode = 0444, .uid = 65534, .gid = 65534, .xattrs = xattrs});
  filler.file(Sink::kRoot, "root's", "r", {.mode = 0000, .uid = 0, .gid = 0});
  filler.file(Sink::kRoot, "trusted", "t",
              {.uid = 65534, .gid = 65534, .xattrs = {{.name = "trusted.t", .value = {}}}});
  filler.file(Sink::kRoot, "setgid", "g", {.mode = 02755, .uid = 65534, .gid = 65534});
  const int verdict = as_nobody([&] {
    const auto exported = export_to(dir.path("t"), filler.tree.view(), {.privileged = true});
    if (!exported.result || !exported.report.failed.empty()) return 1;
    if (paths_of(exported.report.incomplete) != Lines{"trusted"}) return 2;
    // "root's", and the target itself.
    if (exported.report.owners_not_set != 2) return 3;
    return 0;
  });
  CHECK(verdict == 0);
  CHECK(read_file(dir.path("t/read-only/read-only")) == "r");
  CHECK((lstat_of(dir.path("t/read-only")).st_mode & 07777) == 0555);
  CHECK(::getxattr(dir.path("t/read-only/read-only").c_str(), "user.x", nullptr, 0) == 1);
  CHECK(::getxattr(dir.path("t/read-only").c_str(), "user.x", nullptr, 0) == 1);
  CHECK((lstat_of(dir.path("t/setgid")).st_mode & 07777) == 02755);
  CHECK(lstat_of(dir.path("t/root's")).st_uid == 65534);
}

TEST_CASE("an ACL that the target gives to all in it does not stick to what is written", "[host][export]") {
  const TempDir dir(kTmpfs);
  REQUIRE(::mkdir(dir.path("t").c_str(), 0755) == 0);
  // u::rwx u:1234:rwx g::rwx m::rwx o::rwx, for all that is made in t.
  const std::string acl(
      "\x02\0\0\0\x01\0\x07\0\xff\xff\xff\xff\x02\0\x07\0\xd2\x04\0\0\x04\0\x07\0\xff\xff\xff\xff\x10\0\x07\0\xff\xff"
      "\xff"
      "\xff\x20\0\x07\0\xff\xff\xff\xff",
      44);
  REQUIRE(::setxattr(dir.path("t").c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0) == 0);
  Filler filler;
  const auto below = filler.directory(Sink::kRoot, "d", {.mode = 0750});
  filler.file(Sink::kRoot, "file", "f", {.mode = 0640});
  filler.file(below, "inner", "i", {.mode = 0604});
  REQUIRE(filler.tree.add_special(Sink::kRoot, "fifo", Given{.mode = 0600}, FileType::fifo, 0, 0));
  REQUIRE(export_to(dir.path("t"), filler.tree.view()).report.exact());
  REQUIRE(export_to(dir.path("without"), filler.tree.view(), {.owner = host::Choice::never}).report.exact());
  CHECK(compare_trees(dir.path("without"), dir.path("t"), {.owners = false, .root_attributes = false}) == Lines{});
}

TEST_CASE("the view's own attributes go to a target that the export made, or as asked", "[host][export]") {
  const TempDir dir(kTmpfs);
  MemoryTree tree;
  REQUIRE(tree.set_root(
      Given{.mode = 0710, .uid = ::geteuid(), .gid = ::getegid(), .mtime = {.seconds = 77, .nanoseconds = 7}}));
  REQUIRE(::mkdir(dir.path("old").c_str(), 0755) == 0);
  const auto mode_of = [&](const char* name) { return lstat_of(dir.path(name)).st_mode & 07777; };
  CHECK_FALSE(export_to(dir.path("old"), tree.view()).report.made_target);
  CHECK(mode_of("old") == 0755);
  CHECK(export_to(dir.path("new"), tree.view()).report.made_target);
  CHECK(mode_of("new") == 0710);
  CHECK(lstat_of(dir.path("new")).st_mtim.tv_sec == 77);
  export_to(dir.path("old"), tree.view(), {.root_attributes = host::Choice::always});
  CHECK(mode_of("old") == 0710);
  export_to(dir.path("never"), tree.view(), {.root_attributes = host::Choice::never});
  CHECK(mode_of("never") != 0710);
}

TEST_CASE("limits, cancelling and a full disk end an export", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  for (int i = 0; i < 1000; ++i) filler.file(Sink::kRoot, std::to_string(1000 + i), std::string(1000, 'x'));
  SECTION("entries") {
    const auto exported = export_to(dir.path("t"), filler.tree.view(), {.max_entries = 10});
    REQUIRE_FALSE(exported.result);
    CHECK(exported.result.error().code() == ErrorCode::too_large);
    CHECK(exported.result.error().path() == "1010");
    CHECK(exported.report.entries == 10);
  }
  SECTION("as many entries as there are") {
    CHECK(export_to(dir.path("t"), filler.tree.view(), {.max_entries = 1000, .max_bytes = 1'000'000}).result);
  }
  SECTION("bytes") {
    const auto exported = export_to(dir.path("t"), filler.tree.view(), {.max_bytes = 10'500});
    REQUIRE_FALSE(exported.result);
    CHECK(exported.result.error().code() == ErrorCode::too_large);
    CHECK(exported.report.entries == 10);
    CHECK_FALSE(exists(dir.path("t/1010")));
  }
  SECTION("cancelled") {
    const auto exported = export_to(dir.path("t"), filler.tree.view(),
                                    {.progress = [](std::uint64_t entries, std::uint64_t) { return entries < 500; }});
    REQUIRE_FALSE(exported.result);
    CHECK(exported.result.error().to_errno() == ECANCELED);
    CHECK(exported.report.entries >= 500);
    CHECK(exported.report.entries < 1000);
  }
  SECTION("a full disk") {
    FaultIo io(base::system_io());
    io.fail({.call = "pwrite", .nth = 21, .for_ever = true}, ENOSPC);
    const auto exported = export_to(dir.path("t"), filler.tree.view(), {}, io);
    REQUIRE_FALSE(exported.result);
    CHECK(exported.result.error().code() == ErrorCode::no_space);
    CHECK(paths_of(exported.report.failed) == Lines{"1020"});
    CHECK(exported.report.entries == 20);
    CHECK_FALSE(exists(dir.path("t/1020")));
  }
}

TEST_CASE("one path is written under the same path, with the directories above it", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  const Time then{.seconds = 1000, .nanoseconds = 5};
  const auto a = filler.directory(Sink::kRoot, "a", {.mode = 0555, .mtime = then});
  const auto b = filler.directory(a, "b", {.mode = 0711, .mtime = then});
  filler.file(a, "other", "o");
  const auto first = filler.file(b, "file", "f");
  filler.file(filler.directory(b, "c"), "deep", "d");
  filler.symlink(Sink::kRoot, "l", "a");
  REQUIRE(filler.tree.add_link(b, "linked", first));
  REQUIRE(filler.tree.add_special(b, "fifo", {}, FileType::fifo, 0, 0));
  auto exporter = host::Exporter::open(base::system_io(), filler.tree.view(), dir.path("t"), {});
  REQUIRE(exporter);

  REQUIRE(exporter->write_one("a/b/linked"));
  CHECK(read_file(dir.path("t/a/b/linked")) == "f");
  CHECK_FALSE(exists(dir.path("t/a/other")));
  REQUIRE(exporter->write_one("/a//b/c/"));
  CHECK(read_file(dir.path("t/a/b/c/deep")) == "d");
  REQUIRE(exporter->write_one("a/b/file"));
  REQUIRE(exporter->write_one("a/b/fifo"));
  REQUIRE(exporter->write_one("l"));
  CHECK(target_of(dir.path("t/l")) == "a");
  CHECK(exporter->report().failed.empty());
  CHECK(lstat_of(dir.path("t/a/b/file")).st_ino == lstat_of(dir.path("t/a/b/linked")).st_ino);
  for (const char* path : {"t/a", "t/a/b"}) {
    CHECK(lstat_of(dir.path(path)).st_mtim.tv_sec == 1000);
    CHECK((lstat_of(dir.path(path)).st_mode & 0777) == (std::string_view(path) == "t/a" ? 0555 : 0711));
  }
  const auto code = [&](std::string_view path) { return exporter->write_one(path).error().code(); };
  CHECK(code("missing") == ErrorCode::no_entry);
  CHECK(code("l/b") == ErrorCode::not_a_directory);
  CHECK(code("a/b/file/") == ErrorCode::not_a_directory);
  CHECK(code("a/../a") == ErrorCode::escapes_root);
  REQUIRE(exporter->write_one("."));
  CHECK(read_file(dir.path("t/a/other")) == "o");
}

TEST_CASE("directories that were there keep their attributes on the way to one path", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  filler.file(filler.directory(Sink::kRoot, "a", {.mode = 0711}), "file", "f");
  REQUIRE(::mkdir(dir.path("t").c_str(), 0755) == 0);
  REQUIRE(::mkdir(dir.path("t/a").c_str(), 0750) == 0);
  auto exporter = host::Exporter::open(base::system_io(), filler.tree.view(), dir.path("t"), {});
  REQUIRE(exporter->write_one("a/file"));
  CHECK((lstat_of(dir.path("t/a")).st_mode & 0777) == 0750);
  REQUIRE(exporter->write_all());
  CHECK((lstat_of(dir.path("t/a")).st_mode & 0777) == 0711);
}

TEST_CASE("when a file's first name fails, the next one that can be written is its first", "[host][export]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  const auto entry = filler.file(Sink::kRoot, "1", "content");
  for (const char* name : {"2", "3"}) REQUIRE(filler.tree.add_link(Sink::kRoot, name, entry));
  REQUIRE(::mkdir(dir.path("t").c_str(), 0755) == 0);
  REQUIRE(::mkdir(dir.path("t/1").c_str(), 0755) == 0);
  const auto exported = export_to(dir.path("t"), filler.tree.view());
  CHECK(paths_of(exported.report.failed) == Lines{"1"});
  CHECK(read_file(dir.path("t/2")) == "content");
  CHECK(lstat_of(dir.path("t/2")).st_ino == lstat_of(dir.path("t/3")).st_ino);
}

TEST_CASE("a hard link is not made to a file that took the first name meanwhile", "[host][export][race]") {
  const TempDir dir(kTmpfs);
  Filler filler;
  const auto entry = filler.file(Sink::kRoot, "1", "content");
  REQUIRE(filler.tree.add_link(Sink::kRoot, "2", entry));
  FaultIo io(base::system_io());
  io.before({.call = "linkat", .path = "1"}, [&] {
    ::unlink(dir.path("t/1").c_str());
    write_file(dir.path("t/1"), "foreign");
  });
  const auto exported = export_to(dir.path("t"), filler.tree.view(), {}, io);
  CHECK(paths_of(exported.report.failed) == Lines{"2"});
  CHECK_FALSE(exists(dir.path("t/2")));
  CHECK(read_file(dir.path("t/1")) == "foreign");
}

TEST_CASE("attributes go to what was made, not to what took its name", "[host][export][race]") {
  const TempDir dir(kTmpfs);
  write_file(dir.path("outside"), "outside");
  REQUIRE(::chmod(dir.path("outside").c_str(), 0600) == 0);
  const struct stat before = lstat_of(dir.path("outside"));
  Filler filler;
  const Given given{.mode = 0666, .uid = 7, .gid = 7, .mtime = {.seconds = 5, .nanoseconds = 5}};
  const FileType type = GENERATE(FileType::fifo, FileType::symlink);
  if (type == FileType::fifo) {
    REQUIRE(filler.tree.add_special(Sink::kRoot, "made", given, type, 0, 0));
  } else {
    REQUIRE(filler.tree.add_symlink(Sink::kRoot, "made", given, "x"));
  }
  FaultIo io(base::system_io());
  const auto swap = [&] {
    ::rename(dir.path("t/made").c_str(), dir.path("moved").c_str());
    static_cast<void>(::link(dir.path("outside").c_str(), dir.path("t/made").c_str()));
  };
  SECTION("before it is looked at") {
    io.before({.call = "openat", .path = "made"}, swap);
    CHECK(paths_of(export_to(dir.path("t"), filler.tree.view(), {}, io).report.failed) == Lines{"made"});
  }
  SECTION("before any attribute is set") {
    io.before({.call = "fchownat"}, swap);
    CHECK(export_to(dir.path("t"), filler.tree.view(), {.owner = host::Choice::always}, io).result);
    CHECK(lstat_of(dir.path("moved")).st_mtim.tv_sec == 5);
  }
  const struct stat after = lstat_of(dir.path("outside"));
  CHECK(after.st_mode == before.st_mode);
  CHECK(after.st_uid == before.st_uid);
  CHECK(after.st_mtim.tv_sec == before.st_mtim.tv_sec);
}

TEST_CASE("a time that the filesystem cannot keep is named", "[host][export]") {
  const TempDir dir("/tmp");
  const TempDir keeps_all(kTmpfs);
  Filler filler;
  filler.file(Sink::kRoot, "far", "f", {.mtime = {.seconds = std::int64_t{1} << 40, .nanoseconds = 0}});
  filler.file(Sink::kRoot, "near", "n", {.mtime = {.seconds = 1'000'000'000, .nanoseconds = 0}});
  CHECK(export_to(keeps_all.path("t"), filler.tree.view()).report.exact());
  const auto report = export_to(dir.path("t"), filler.tree.view()).report;
  const bool kept = lstat_of(dir.path("t/far")).st_mtim.tv_sec == std::int64_t{1} << 40;
  CHECK(paths_of(report.incomplete) == (kept ? Lines{} : Lines{"far"}));
}
