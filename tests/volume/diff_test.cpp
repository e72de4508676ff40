#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "packfs/volume.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "volume/empty_volume.h"

using namespace packfs;
using namespace packfs::testing;

TEST_CASE("a diff of two states looks at what changed", "[volume]") {
  Volume volume = empty();
  fill(volume, "large", 20'000);
  const Snapshot before = volume.snapshot();
  for (int i = 0; i < 10; ++i) must(volume.write("large/file-" + std::to_string(i * 1000), bytes_of("changed")));
  const auto changes = diff(before, volume.snapshot());
  REQUIRE(changes);
  CHECK(std::ranges::count(*changes, Change::Kind::changed, &Change::kind) == 10);
  CHECK(changes->size() == 10);
  CHECK(diff(before, before)->empty());
}

TEST_CASE("diff finds thousands of moves, and what was changed where they went", "[volume][diff]") {
  constexpr int kFiles = 5000;
  Volume volume = empty();
  fill(volume, "from", kFiles);
  fill(volume, "from-other", 1);  // between "from" and what is in it, byte by byte
  for (int i = 0; i < 7; ++i) must(volume.make_directories("to/deep/x" + std::to_string(i)));
  const Snapshot before = volume.snapshot();
  {
    auto transaction = volume.begin();
    REQUIRE(transaction);
    for (int i = 0; i < kFiles; ++i) {
      const std::string name = "/file-" + std::to_string(i);
      must(transaction->rename("from" + name, "to/deep/x" + std::to_string(i % 7) + name));
    }
    must(transaction->write("to/deep/x3/file-3", bytes_of("changed")));
    REQUIRE(transaction->commit());
  }
  const auto changes = diff(before, volume.snapshot());
  REQUIRE(changes);
  std::size_t renamed = 0;
  for (const Change& change : *changes) {
    if (change.kind != Change::Kind::renamed) continue;
    const std::string name = change.path.substr(change.path.rfind('/'));
    CHECK(change.from == "from" + name);
    ++renamed;
  }
  CHECK(renamed == kFiles);
  const auto is_change_of_3 = [](const Change& change) {
    return change.kind == Change::Kind::changed && change.path == "to/deep/x3/file-3";
  };
  CHECK(std::ranges::count_if(*changes, is_change_of_3) == 1);
}

TEST_CASE("diff lists an entry once though what holds it is found to have moved after it", "[volume][diff]") {
  Volume volume = empty();
  must(volume.make_directories("e/d/c/f/g"));
  must(volume.make_directory("h"));
  const Snapshot before = volume.snapshot();
  must(volume.rename("e/d/c/f/g", "h/f"));
  must(volume.make_directories("h/f/new"));
  must(volume.rename("e/d", "h/f/new/d"));
  const auto changes = diff(before, volume.snapshot());
  REQUIRE(changes);
  std::vector<std::string> listed;
  for (const Change& change : *changes) {
    if (change.kind == Change::Kind::renamed) listed.push_back(change.path + " from " + change.from);
    if (change.kind == Change::Kind::added) listed.push_back(change.path);
    CHECK(change.kind != Change::Kind::removed);
  }
  CHECK(listed == std::vector<std::string>{"h/f from e/d/c/f/g", "h/f/new", "h/f/new/d from e/d"});
}

TEST_CASE("a diff passes over the holes that two files share", "[volume][diff]") {
  Volume volume = empty();
  must(volume.write("f", bytes_of("x")));
  must(volume.truncate("f", std::uint64_t{1} << 60));  // to read it takes years
  must(volume.set_mtime("f", {1, 0}));
  const Snapshot before = volume.snapshot();
  must(volume.write_at("f", 5, std::vector<std::byte>(100'000)));
  must(volume.set_mtime("f", {1, 0}));
  const auto same = diff(before, volume.snapshot());
  REQUIRE(same);
  CHECK(same->empty());
  must(volume.write_at("f", (std::uint64_t{1} << 60) - 1, bytes_of("y")));
  must(volume.set_mtime("f", {1, 0}));
  const auto changed = diff(before, volume.snapshot());
  REQUIRE(changed);
  CHECK(changed->size() == 1);
}

namespace {

std::vector<std::string> lines_of(const Result<std::vector<Change>>& changes) {
  REQUIRE(changes);
  std::vector<std::string> lines;
  for (const Change& change : *changes) {
    switch (change.kind) {
      case Change::Kind::added:
        lines.push_back("A " + change.path);
        break;
      case Change::Kind::removed:
        lines.push_back("D " + change.path);
        break;
      case Change::Kind::changed:
        lines.push_back("M " + change.path);
        break;
      case Change::Kind::renamed:
        lines.push_back("R " + change.from + " -> " + change.path);
        break;
    }
  }
  return lines;
}

/// Files a to e, which numbers follow, and `more` before the others.
void build_numbered(const std::string& path, const std::vector<std::string>& more) {
  build_pack(path, [&](PackBuilder& builder) {
    for (const std::string& name : more) must(builder.add_file(name, kPlain, bytes_of("more")));
    for (const std::string name : {"a", "b", "c", "d", "e"}) must(builder.add_file(name, kPlain, bytes_of(name)));
  });
}

}  // namespace

TEST_CASE("trees that number their inodes apart are compared by path alone", "[volume][diff]") {
  const TempDir directory;
  build_numbered(directory.path("before.pack"), {});
  build_numbered(directory.path("after.pack"), {"aa", "sub"});
  const Pack before = open_pack(directory.path("before.pack"));
  const Pack after = open_pack(directory.path("after.pack"));
  CHECK(lines_of(diff(before.root(), after.root())) == std::vector<std::string>{"A aa", "A sub"});
  CHECK(lines_of(diff(after.root(), before.root())) == std::vector<std::string>{"D aa", "D sub"});
}

TEST_CASE("a pack, and volumes over it, however often it was opened, number their inodes alike", "[volume][diff]") {
  const TempDir directory;
  const std::string path = directory.path("base.pack");
  build_numbered(path, {});
  const Pack pack = open_pack(path);
  auto volume = Volume::memory(open_pack(path));
  REQUIRE(volume);
  must(volume->rename("b", "z"));
  must(volume->set_mtime("", {1, 0}));
  const std::vector<std::string> expected{"M ", "R b -> z"};
  CHECK(lines_of(diff(pack.root(), volume->snapshot())) == expected);
  const auto other = Volume::memory(pack);
  REQUIRE(other);
  CHECK(lines_of(diff(other->snapshot(), volume->snapshot())) == expected);
}
