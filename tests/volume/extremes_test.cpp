#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "packfs/volume.h"
#include "stress/sanitized.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "volume/empty_volume.h"

using namespace packfs;
using namespace packfs::testing;

// Trees and names at the ends of what is allowed, and a base that turns out damaged.
namespace {

constexpr int kMany = stress::kIsSanitized ? 50'000 : 1'000'000;

template <class T>
ErrorCode code_of(const Result<T>& done) {
  return done ? ErrorCode{} : done.error().code();
}

std::uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string numbered(int i) {
  std::string digits = std::to_string(i);
  return "n" + std::string(7 - digits.size(), '0') + digits;
}

}  // namespace

TEST_CASE("directories 32,768 deep are made, cloned, compared, moved and removed", "[volume][extremes]") {
  constexpr int kDepth = 32'768;
  Volume volume = empty();
  volume.quiesce();
  const VolumeCounters before = volume.counters();
  std::string path = "d";
  for (int i = 1; i < kDepth; ++i) path += "/d";
  must(volume.make_directories(path));
  must(volume.write(path + "/file", bytes_of("at the bottom")));
  const Snapshot shallow = volume.snapshot();
  must(volume.write(path + "/file", bytes_of("changed")));
  must(volume.rename("d", "moved"));
  CHECK(volume.stat("moved" + path.substr(1) + "/file")->size == 7);
  const auto changes = diff(shallow, volume.snapshot());
  REQUIRE(changes);
  CHECK(std::ranges::count(*changes, Change::Kind::changed, &Change::kind) >= 1);
  CHECK(changes->back().path == "moved" + path.substr(1) + "/file");
  must(volume.clone("moved", "copy"));
  CHECK(volume.totals()->entries == 2 * (kDepth + 1));
  must(volume.remove_tree("moved"));
  must(volume.remove_tree("copy"));
  volume.quiesce();
  CHECK(volume.counters().inodes > kDepth);  // the snapshot has them
  CHECK(before.inodes == 1);
}

TEST_CASE("a deep tree is packed in memory that its depth does not square", "[volume][extremes]") {
  constexpr std::uint64_t kDepth = 40'000;
  const TempDir directory;
  Volume volume = empty();
  std::string path = "d";
  for (std::uint64_t i = 1; i < kDepth; ++i) path += "/d";
  must(volume.make_directories(path));
  const std::uint64_t before = peak_bytes();
  build_pack(directory.path("deep"), [&](PackBuilder& builder) { must(builder.add_tree(volume.snapshot())); });
  CHECK(peak_bytes() - before < (stress::kIsSanitized ? 1024 : 512) << 20);  // the paths of all are 1.6 GB
  CHECK(open_pack(directory.path("deep")).info().directories == kDepth + 1);
}

TEST_CASE("a million entries in one directory", "[volume][extremes]") {
  Volume volume = empty();
  {
    auto transaction = volume.begin();
    REQUIRE(transaction);
    must(transaction->make_directory("d"));
    for (int i = 0; i < kMany; ++i) must(transaction->write("d/" + numbered(i), {}));
    REQUIRE(transaction->commit());
  }
  int next = 0;
  for (const Result<Entry>& entry : volume.list("d")) {
    if (!entry || entry->name() != numbered(next)) break;
    ++next;
  }
  CHECK(next == kMany);
  CHECK(volume.stat("d/" + numbered(kMany / 2)));
  CHECK(code_of(volume.stat("d/" + numbered(kMany))) == ErrorCode::no_entry);
  const Snapshot before = volume.snapshot();
  must(volume.unlink("d/" + numbered(kMany / 3)));
  const auto changes = diff(before, volume.snapshot());
  REQUIRE(changes);
  CHECK(changes->back().path == "d/" + numbered(kMany / 3));
  must(volume.rename("d", "e"));
  must(volume.remove_tree("e"));
  CHECK(volume.totals()->entries == 0);
}

TEST_CASE("sorted names that share all but their ends leave the tree shallow", "[volume][extremes]") {
  Volume volume = empty();
  const std::string common(240, 'x');
  auto transaction = volume.begin();
  REQUIRE(transaction);
  for (int i = 0; i < 20'000; ++i) must(transaction->write(common + numbered(i), {}));
  REQUIRE(transaction->commit());
  std::uint64_t most = 0;
  for (int i = 0; i < 20'000; i += 97) {
    const std::uint64_t before = volume.counters().nodes_copied;
    must(volume.write(common + numbered(i), bytes_of("y")));
    most = std::max(most, volume.counters().nodes_copied - before);
  }
  CHECK(most <= 60);  // as for any names
}

TEST_CASE("names and paths are as long as is allowed and no longer", "[volume][extremes]") {
  Volume volume = empty();
  must(volume.write(std::string(255, 'n'), bytes_of("x")));
  CHECK(code_of(volume.write(std::string(256, 'n'), bytes_of("x"))) == ErrorCode::name_too_long);
  CHECK(code_of(volume.make_directory(std::string(256, 'n'))) == ErrorCode::name_too_long);
  CHECK(code_of(volume.rename(std::string(255, 'n'), std::string(256, 'm'))) == ErrorCode::name_too_long);
  std::string path;
  while (path.size() < (std::size_t{1} << 20)) path += "a/";
  CHECK(code_of(volume.make_directories(path + "a")) == ErrorCode::name_too_long);
  CHECK(volume.totals()->entries == 1);
}

TEST_CASE("a base that turns out damaged fails the calls that need it, and the volume lives", "[volume][extremes]") {
  const TempDir dir;
  const Attributes plain{.mode = 0644, .uid = 0, .gid = 0, .mtime = {1, 0}, .xattrs = {}};
  build_pack(dir.path("pack"), [&](PackBuilder& builder) {
    must(builder.add_file("damaged", plain, bytes_of("these bytes will be wrong")));
    must(builder.add_file("whole", plain, bytes_of("these will not")));
  });
  {
    std::fstream file(dir.path("pack"), std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = bytes.find("will be wrong");
    REQUIRE(at != std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put('W');
  }
  auto volume = Volume::memory(open_pack(dir.path("pack")));
  REQUIRE(volume);
  std::array<std::byte, 64> buffer{};
  CHECK(code_of(volume->read("damaged", buffer)) == ErrorCode::corrupt);
  const std::uint64_t commit = volume->snapshot().commit();
  CHECK(code_of(volume->append("damaged", bytes_of("more"))) == ErrorCode::corrupt);
  CHECK(code_of(volume->write_at("damaged", 3, bytes_of("more"))) == ErrorCode::corrupt);
  CHECK(volume->snapshot().commit() == commit);
  CHECK(*volume->read("whole", buffer) == 14);
  must(volume->append("whole", bytes_of(".")));

  // What needs none of the wrong bytes works.
  must(volume->rename("damaged", "elsewhere"));
  must(volume->chmod("elsewhere", 0600));
  must(volume->clone("elsewhere", "clone"));
  must(volume->link("elsewhere", "link"));
  for (const char* name : {"elsewhere", "clone", "link"}) {
    CHECK(volume->stat(name)->size == 25);
    CHECK(code_of(volume->read(name, buffer)) == ErrorCode::corrupt);
  }
  must(volume->write("link", bytes_of("new")));
  CHECK(*volume->read("elsewhere", buffer) == 3);
  must(volume->truncate("clone", 0));
  must(volume->append("clone", bytes_of("more")));
  CHECK(*volume->read("clone", buffer) == 4);
  CHECK(volume->totals()->bytes == 3 + 3 + 4 + 15);
}

TEST_CASE("a directory with so many entries below that their number begins anew is not empty", "[volume][extremes]") {
  Volume volume = empty();
  must(volume.make_directory("all"));
  // Each doubles: 2^(n+1) - 2 entries.
  for (int n = 1; n < 64; ++n) {
    must(volume.make_directory("next"));
    must(volume.rename("all", "next/a"));
    must(volume.clone("next/a", "next/b"));
    must(volume.rename("next", "all"));
  }
  must(volume.write("all/c", bytes_of("kept")));
  must(volume.write("all/d", bytes_of("kept")));
  must(volume.make_directory("other"));
  CHECK(code_of(volume.remove_directory("all")) == ErrorCode::not_empty);
  CHECK(code_of(volume.rename("other", "all")) == ErrorCode::not_empty);
  CHECK(volume.stat("all/c"));
  must(volume.remove_tree("all"));
}

TEST_CASE("sums of sizes beyond the greatest file's are moved, exchanged and taken back", "[volume][extremes]") {
  Volume volume = empty();
  must(volume.make_directory("d"));
  must(volume.write("d/a", {}));
  must(volume.truncate("d/a", INT64_MAX));
  must(volume.write("d/b", bytes_of("x")));
  CHECK(volume.totals("d")->bytes == std::uint64_t{1} << 63);
  must(volume.rename("d", "e"));
  must(volume.make_directory("d"));
  must(volume.clone("e/a", "f"));
  must(volume.clone("e/a", "d/c"));
  must(volume.rename("e/b", "d/b"));
  must(volume.clone("e/a", "e/b"));
  must(volume.rename("e", "d/c", RenameMode::exchange));
  CHECK(volume.totals("d")->bytes == 2 * std::uint64_t{INT64_MAX} + 1);
  must(volume.rename("d/c", "d/b", RenameMode::exchange));
  must(volume.remove_tree("d"));
  must(volume.unlink("f"));
  must(volume.unlink("e"));
  CHECK(volume.totals()->bytes == 0);
}
