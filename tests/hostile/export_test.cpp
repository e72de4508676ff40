#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "host/export.h"
#include "hostile/pack_editor.h"
#include "hostile/specimen.h"
#include "hostile/verdict.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using log::RecordType;
using pack::Section;
namespace fs = std::filesystem;

namespace {

// Everything that can be told of a host tree, its root's own times excepted.
std::map<std::string, std::string> portrait(const std::string& root) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    struct stat status{};
    ::lstat(entry.path().c_str(), &status);
    std::string text = std::to_string(status.st_mode) + ' ' + std::to_string(status.st_nlink) + ' ' +
                       std::to_string(status.st_uid) + ' ' + std::to_string(status.st_ino) + ' ' +
                       std::to_string(status.st_mtim.tv_sec) + '.' + std::to_string(status.st_mtim.tv_nsec);
    if (entry.is_symlink())
      text += fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file())
      text += text_of(read_host_file(entry.path().string()));
    seen[entry.path().lexically_relative(root).string()] = text;
  }
  return seen;
}

// A directory to unpack into, and one beside it that must stay as it is.
struct Scene {
  TempDir dir;
  std::string target = dir.path("target");
  std::string outside = dir.path("outside");
  std::map<std::string, std::string> before;

  Scene() {
    fs::create_directory(target);
    fs::create_directories(outside + "/d/deep");
    write_host_file(outside + "/precious", bytes_of("precious"));
    write_host_file(outside + "/d/second", bytes_of("also precious"));
    before = portrait(outside);
  }
  // What an export of the bytes reports; the outside is looked at behind it.
  host::ExportReport unpack(std::span<const std::byte> bytes, const host::ExportOptions& options = {}) const {
    const auto open = open_bytes(bytes, ReadMode::mmap);
    REQUIRE(open);
    auto exporter = host::Exporter::open(base::system_io(), open->pack.root(), target, options);
    REQUIRE(exporter);
    static_cast<void>(exporter->write_all());
    CHECK(portrait(outside) == before);
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      CHECK((entry.path() == target || entry.path() == outside));
    }
    return exporter->report();
  }
};

void rename(PackEditor& editor, std::string_view from, std::string_view to) {
  std::ranges::copy(to, editor.name_of(editor.entry(from)).begin());
  std::ranges::copy(to, editor.name_of(editor.record(RecordType::put, from)).begin());
}

}  // namespace

TEST_CASE("names that would lead out of the target lead nowhere", "[hostile][export]") {
  const Scene scene;
  PackEditor editor(specimen());
  editor.drop_hash();
  rename(editor, "old", GENERATE(as<std::string>(), "../", "/et", "a/b", "..x"));
  const auto report = scene.unpack(editor.seal());
  CHECK_FALSE(report.exact());
}

TEST_CASE("links in the target that lead elsewhere are replaced or refused, never followed", "[hostile][export]") {
  const Scene scene;
  const std::string to_outside = GENERATE(true, false) ? scene.outside : "../outside";
  SECTION("for a directory") {
    fs::create_directory_symlink(to_outside, scene.target + "/d");
    const auto report = scene.unpack(specimen());
    CHECK_FALSE(report.failed.empty());
    CHECK(fs::is_symlink(scene.target + "/d"));
  }
  SECTION("for a directory below") {
    fs::create_directory(scene.target + "/d");
    fs::create_directory_symlink(to_outside + "/d", scene.target + "/d/deep");
    CHECK_FALSE(scene.unpack(specimen()).failed.empty());
  }
  SECTION("for a file") {
    fs::create_symlink(to_outside + "/precious", scene.target + "/run");
    fs::create_symlink(to_outside + "/new", scene.target + "/old");
    const auto report = scene.unpack(specimen());
    CHECK(report.failed.empty());
    CHECK(fs::is_regular_file(fs::symlink_status(scene.target + "/run")));
    CHECK_FALSE(fs::exists(scene.outside + "/new"));
  }
  SECTION("for a symlink and a FIFO") {
    fs::create_symlink(to_outside + "/precious", scene.target + "/sym");
    fs::create_symlink(to_outside + "/precious", scene.target + "/fifo");
    CHECK(scene.unpack(specimen()).failed.empty());
    CHECK(fs::read_symlink(scene.target + "/sym") == "d/deep/leaf");
  }
}

TEST_CASE("a hard link in the target to a file elsewhere is replaced, the file stays", "[hostile][export]") {
  Scene scene;
  fs::create_hard_link(scene.outside + "/precious", scene.target + "/run");
  fs::create_hard_link(scene.outside + "/d/second", scene.target + "/link1");
  const auto names = [](const std::string& path) { return fs::hard_link_count(path); };
  REQUIRE(names(scene.outside + "/precious") == 2);
  scene.before = portrait(scene.outside);
  // Its names become fewer: that is told by the portrait too, so the check is made by hand.
  const auto open = open_bytes(specimen(), ReadMode::mmap);
  REQUIRE(open);
  auto exporter = host::Exporter::open(base::system_io(), open->pack.root(), scene.target, {});
  REQUIRE(exporter);
  REQUIRE(exporter->write_all());
  CHECK(text_of(read_host_file(scene.outside + "/precious")) == "precious");
  CHECK(text_of(read_host_file(scene.outside + "/d/second")) == "also precious");
  CHECK(names(scene.outside + "/precious") == 1);
  CHECK(text_of(read_host_file(scene.target + "/link2")) == "linked content");
}

TEST_CASE("a symlink of one pack is not followed by a file of the next", "[hostile][export]") {
  const Scene scene;
  const TempDir packs;
  const Attributes attributes{.mode = 0755, .uid = 0, .gid = 0, .mtime = {}, .xattrs = {}};
  build_pack(packs.path("first"), [&](PackBuilder& builder) {
    must(builder.add_symlink("a", attributes, "../outside"));
    must(builder.add_symlink("b", attributes, scene.outside + "/precious"));
  });
  build_pack(packs.path("second"), [&](PackBuilder& builder) {
    must(builder.add_directory("a", attributes));
    must(builder.add_file("a/precious", attributes, bytes_of("gone")));
    must(builder.add_file("b", attributes, bytes_of("gone")));
  });
  CHECK(scene.unpack(read_host_file(packs.path("first"))).exact());
  const auto report = scene.unpack(read_host_file(packs.path("second")));
  CHECK_FALSE(report.failed.empty());
  CHECK(fs::is_symlink(scene.target + "/a"));
  CHECK(text_of(read_host_file(scene.target + "/b")) == "gone");
}

TEST_CASE("names said to be one file, the first of them a symlink, stay within the target", "[hostile][export]") {
  const Scene scene;
  PackEditor editor(specimen());
  std::array<std::byte, 8> id{std::byte{1}};
  // "fifo" comes before, "run" and "setuid" after it: all are links of the group of link1.
  const std::string first = GENERATE(as<std::string>(), "fifo", "empty", "old");
  for (const std::string_view name : {std::string_view(first), std::string_view("run"), std::string_view("sym")}) {
    editor.set_presence(editor.entry(name), pack::kHasLinkId, id);
  }
  scene.unpack(editor.seal());
}

TEST_CASE("a symlink that leads outside and names linked to it change nothing outside", "[hostile][export]") {
  const Scene scene;
  const TempDir packs;
  const Attributes attributes{.mode = 0777, .uid = 0, .gid = 0, .mtime = {1, 0}, .xattrs = {}};
  build_pack(packs.path("pack"), [&](PackBuilder& builder) {
    must(builder.add_symlink("a", attributes, scene.outside + "/precious"));
    must(builder.add_link("b", "a"));
    must(builder.add_file("c", attributes, bytes_of("gone")));
  });
  PackEditor editor(read_host_file(packs.path("pack")));
  if (GENERATE(true, false)) {
    std::array<std::byte, 8> id{std::byte{1}};
    editor.set_presence(editor.entry("c"), pack::kHasLinkId, id);
  }
  scene.unpack(editor.seal());
}

TEST_CASE("without privilege setid bits and devices are named and not made", "[hostile][export]") {
  const Scene scene;
  const auto report = scene.unpack(specimen());
  std::vector<std::string> withheld;
  withheld.reserve(report.withheld.size());
  for (const auto& problem : report.withheld) withheld.push_back(problem.path);
  std::ranges::sort(withheld);
  CHECK(withheld == std::vector<std::string>{"blk", "chr", "setuid"});
  CHECK_FALSE(fs::exists(fs::symlink_status(scene.target + "/blk")));
  CHECK_FALSE(fs::exists(fs::symlink_status(scene.target + "/chr")));
  struct stat status{};
  REQUIRE(::lstat((scene.target + "/setuid").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);
}

TEST_CASE("limits on entries and bytes end an unpacking", "[hostile][export]") {
  const Scene scene;
  const auto open = open_bytes(specimen(), ReadMode::mmap);
  REQUIRE(open);
  host::ExportOptions options;
  const bool by_entries = GENERATE(true, false);
  if (by_entries)
    options.max_entries = 5;
  else
    options.max_bytes = 700;
  auto exporter = host::Exporter::open(base::system_io(), open->pack.root(), scene.target, options);
  REQUIRE(exporter);
  const auto done = exporter->write_all();
  REQUIRE_FALSE(done);
  CHECK(done.error().code() == ErrorCode::too_large);
  CHECK(exporter->report().entries <= (by_entries ? 5U : 30U));
  CHECK(exporter->report().bytes <= (by_entries ? 1'000'000U : 700U));
}
