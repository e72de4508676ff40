#include "packfs/host_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"
#include "volume/empty_volume.h"
#include "volume/import_tree.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr const char* kTmpfs = "/dev/shm";  // keeps all attributes

using Lines = std::vector<std::string>;

struct Imported {
  Result<std::uint64_t> commit;
  ImportReport report;
};

Imported import_from(const std::string& source, Volume& volume, std::string_view into,
                     const ImportOptions& options = {}, base::Io& io = base::system_io()) {
  ImportReport report;
  auto commit = volume::import_tree(io, std::array{source}, volume, into, options, report);
  return {std::move(commit), std::move(report)};
}

/// What differs between a host tree and a view once that is written to the host.
Lines differences(const std::string& source, const Result<View>& view, const CompareOptions& options = {}) {
  REQUIRE(view);
  const TempDir target(kTmpfs);
  ExportReport report;
  const auto done = export_tree(*view, target.path("t"), {.privileged = true}, report);
  INFO((done ? "" : done.error().message()));
  REQUIRE(done);
  CHECK(report.exact());
  CHECK(report.made_target);
  return compare_trees(source, target.path("t"), options);
}

Lines paths_of(const std::vector<Problem>& problems) {
  Lines paths;
  for (const Problem& problem : problems) paths.push_back(problem.path);
  return paths;
}

std::string text_at(const Writable& volume, std::string_view path) {
  const auto file = volume.open_file(path);
  if (!file) return "(error) " + file.error().message();
  const auto bytes = file->read_all();
  return bytes ? text_of(*bytes) : "(error) " + bytes.error().message();
}

/// A directory to import, on tmpfs.
struct Scene {
  TempDir directory{kTmpfs};
  std::string source = directory.path("source");
  Scene() { std::filesystem::create_directory(source); }
  [[nodiscard]] std::string path(const std::string& name) const { return source + "/" + name; }
  void file(const std::string& name, std::string_view content) const { write_host_file(path(name), bytes_of(content)); }
};

}  // namespace

TEST_CASE("an odd tree comes back exactly from a volume in memory, also when it comes over itself",
          "[volume][import]") {
  const Scene scene;
  REQUIRE(::chmod(scene.source.c_str(), 0751) == 0);
  make_odd_tree(scene.source);
  Volume volume = empty();
  const Imported first = import_from(scene.source, volume, "");
  REQUIRE(first.commit);
  CHECK(first.report.exact());
  CHECK(volume.totals()->entries == first.report.entries);
  CHECK(differences(scene.source, volume.snapshot()) == Lines{});

  const Imported again = import_from(scene.source, volume, "", {.root_attributes = Choice::always});
  REQUIRE(again.commit);
  CHECK(again.report.exact());
  CHECK(volume.totals()->entries == first.report.entries);
  CHECK(differences(scene.source, volume.snapshot()) == Lines{});
}

TEST_CASE("an import into a store is one commit, or nothing", "[volume][import]") {
  const Scene scene;
  make_odd_tree(scene.source);
  const std::string store = scene.directory.path("store");
  std::uint64_t number = 0;
  {
    auto volume = Volume::open(store);
    REQUIRE(volume);
    must(volume->make_directories("real/place"));
    must(volume->symlink("/real", "way"));
    const Snapshot before = volume->snapshot();
    {
      auto transaction = volume->begin();
      REQUIRE(transaction);
      ImportReport report;
      REQUIRE(import_tree(std::array{scene.source}, *transaction, "way/place", {}, report));
      CHECK(transaction->totals("real/place")->entries == report.entries);
    }
    CHECK(volume->totals()->entries == 3);
    const Imported imported = import_from(scene.source, *volume, "way/place/new");
    REQUIRE(imported.commit);
    CHECK(imported.report.exact());
    number = *imported.commit;
    CHECK(volume->snapshot().commit() == number);
    CHECK(before.totals()->entries == 3);
    CHECK(volume->lstat("way")->type == FileType::symlink);
    CHECK(differences(scene.source, volume->snapshot().directory("real/place/new")) == Lines{});
  }
  const auto reopened = Volume::open(store, {{}, false, true});
  REQUIRE(reopened);
  CHECK(reopened->snapshot().commit() >= number);
  CHECK(differences(scene.source, reopened->snapshot().directory("real/place/new")) == Lines{});
}

TEST_CASE("an import that is cancelled, or finds no source, leaves the volume as it was", "[volume][import]") {
  const Scene scene;
  for (int i = 0; i < 600; ++i) scene.file("f" + std::to_string(i), "x");
  Volume volume = empty();
  const Imported cancelled =
      import_from(scene.source, volume, "in", {.progress = [](std::uint64_t, std::uint64_t) { return false; }});
  REQUIRE_FALSE(cancelled.commit);
  CHECK(cancelled.commit.error().code() == Error::from_errno(ECANCELED).code());
  CHECK(cancelled.report.entries != 0);
  const Imported missing = import_from(scene.path("nothing"), volume, "in");
  REQUIRE_FALSE(missing.commit);
  CHECK(missing.commit.error().code() == ErrorCode::no_entry);
  CHECK(missing.commit.error().path() == scene.path("nothing"));
  must(volume.write("file", bytes_of("kept")));
  const Imported clash = import_from(scene.source, volume, "file");
  REQUIRE_FALSE(clash.commit);
  CHECK(clash.commit.error().code() == ErrorCode::not_a_directory);
  CHECK(volume.totals()->entries == 1);
  CHECK(text_at(volume, "file") == "kept");
}

TEST_CASE("what an import meets merges, is replaced, or is named as a clash", "[volume][import]") {
  const Scene scene;
  std::filesystem::create_directories(scene.path("both/deep"));
  scene.file("both/deep/new", "new");
  scene.file("file", "new");
  scene.file("over link", "new");
  scene.file("over directory", "new");
  std::filesystem::create_directories(scene.path("over file"));
  scene.file("over file/below", "x");
  std::filesystem::create_hard_link(scene.path("file"), scene.path("second"));
  Volume volume = empty();
  must(volume.write("in/both/deep/old", bytes_of("old"), make_parents));
  must(volume.write("in/file", bytes_of("old")));
  must(volume.link("in/file", "in/third"));
  must(volume.write("in/second", bytes_of("other")));
  must(volume.write("target", bytes_of("target")));
  must(volume.symlink("/target", "in/over link"));
  must(volume.write("in/over directory/kept", bytes_of("kept"), make_parents));
  must(volume.write("in/over file", bytes_of("kept")));
  must(volume.chmod("in", 0700));

  const Imported imported = import_from(scene.source, volume, "in");
  REQUIRE(imported.commit);
  CHECK(paths_of(imported.report.skipped) == Lines{scene.path("over directory"), scene.path("over file")});
  for (const Problem& problem : imported.report.skipped) CHECK(problem.error.code() == ErrorCode::exists);
  CHECK(text_at(volume, "in/both/deep/old") == "old");
  CHECK(text_at(volume, "in/both/deep/new") == "new");
  CHECK(text_at(volume, "in/file") == "new");
  CHECK(text_at(volume, "in/second") == "new");
  CHECK(text_at(volume, "in/third") == "old");
  CHECK(volume.stat("in/file")->nlink == 2);
  CHECK(volume.stat("in/file")->inode == volume.stat("in/second")->inode);
  CHECK(volume.stat("in/third")->nlink == 1);
  CHECK(text_at(volume, "in/over link") == "new");
  CHECK(text_at(volume, "target") == "target");
  CHECK(text_at(volume, "in/over directory/kept") == "kept");
  CHECK(text_at(volume, "in/over file") == "kept");
  CHECK(volume.stat("in")->mode == 0700);
  CHECK(volume.totals("in")->entries == 11);
}

TEST_CASE("the directory an import goes into gets the source's attributes when the options say so",
          "[volume][import]") {
  const Scene scene;
  REQUIRE(::chmod(scene.source.c_str(), 01751) == 0);
  scene.file("f", "x");
  const auto mode_of = [&](const char* into, Choice choice) {
    Volume volume = empty();
    must(volume.make_directory("empty", 0700));
    must(volume.write("full/f", bytes_of("x"), make_parents));
    must(volume.symlink("full", "link"));
    REQUIRE(import_from(scene.source, volume, into, {.root_attributes = choice}).commit);
    return volume.stat(into)->mode;
  };
  CHECK(mode_of("made/on the way", Choice::automatic) == 01751);
  CHECK(mode_of("made", Choice::never) == 0755);
  CHECK(mode_of("empty", Choice::automatic) == 01751);
  CHECK(mode_of("full", Choice::automatic) == 0755);
  CHECK(mode_of("full", Choice::always) == 01751);
  CHECK(mode_of("link", Choice::always) == 01751);
}

TEST_CASE("files and directories that are excluded stay out, and are named", "[volume][import]") {
  const Scene scene;
  std::filesystem::create_directories(scene.path("a/out/deep"));
  scene.file("a/out/deep/f", "x");
  scene.file("a/in", "x");
  scene.file("out", "x");
  std::filesystem::create_directories(scene.path("z"));
  scene.file("z/in", "x");
  std::filesystem::create_directory_symlink(scene.path("a/out"), scene.directory.path("link"));
  Volume volume = empty();
  const Imported imported = import_from(
      scene.source, volume, "",
      {.exclude = {scene.directory.path("link"), scene.path("out"), scene.path("not there"), scene.source}});
  REQUIRE(imported.commit);
  CHECK(imported.report.exact());
  CHECK(imported.report.left_out == Lines{scene.path("out"), scene.path("a/out")});
  CHECK(text_at(volume, "a/in") == "x");
  CHECK(text_at(volume, "z/in") == "x");
  CHECK(volume.totals()->entries == 4);
}

TEST_CASE("a large file that cannot be read to its end leaves nothing of itself", "[volume][import]") {
  const Scene scene;
  scene.file("a", "before");
  scene.file("large", std::string(3'500'000, 'x'));
  scene.file("z", "behind");
  Volume volume = empty();
  const bool was_there = GENERATE(false, true);
  if (was_there) must(volume.write("large", bytes_of("old")));
  FaultIo io(base::system_io());
  io.fail({.call = "pread", .nth = 5}, EIO);  // one for "a", the third piece or so of the large file
  const Imported imported = import_from(scene.source, volume, "", {.threads = 1}, io);
  REQUIRE(imported.commit);
  REQUIRE(io.struck());
  CHECK(paths_of(imported.report.skipped) == Lines{scene.path("large")});
  CHECK(volume.totals()->entries == (was_there ? 3 : 2));
  CHECK(text_at(volume, "large") == (was_there ? "old" : "(error) " + Error(ErrorCode::no_entry).message()));
  CHECK(text_at(volume, "a") == "before");
  CHECK(text_at(volume, "z") == "behind");
}

TEST_CASE("a large file that shrinks while it is read is named, and is there as far as it was read",
          "[volume][import]") {
  const Scene scene;
  scene.file("large", std::string(3'500'000, 'x'));
  Volume volume = empty();
  FaultIo io(base::system_io());
  io.before({.call = "pread", .nth = 3},
            [&] { static_cast<void>(::truncate(scene.path("large").c_str(), 2'500'000)); });
  const Imported imported = import_from(scene.source, volume, "", {.threads = 1}, io);
  REQUIRE(imported.commit);
  CHECK_FALSE(imported.report.exact());
  CHECK(paths_of(imported.report.changed) == Lines{scene.path("large")});
  CHECK(text_at(volume, "large") == std::string(2'500'000, 'x'));
  CHECK(imported.report.bytes == 2'500'000);
  CHECK(volume.totals()->entries == 1);
}

TEST_CASE("zeros in a file of any size are holes in the volume", "[volume][import]") {
  const Scene scene;
  std::string content(20'000, '\0');
  content.replace(8190, 4, "data");
  scene.file("small", content);
  scene.file("end", std::string(8192, 'x') + std::string(5000, '\0'));
  scene.file("zeros", std::string(4096, '\0'));
  scene.file("short", std::string(4095, '\0'));
  std::string large(5'000'000, 'x');
  large.replace(1'048'576 - 4096, 8192, 8192, '\0');
  large.replace(3'000'000, 1'500'000, 1'500'000, '\0');
  scene.file("large", large);
  Volume volume = empty();
  REQUIRE(import_from(scene.source, volume, "").commit);
  CHECK(text_at(volume, "small") == content);
  CHECK(text_at(volume, "large") == large);
  CHECK(text_at(volume, "end").size() == 13'192);
  CHECK(differences(scene.source, volume.snapshot()) == Lines{});
}
