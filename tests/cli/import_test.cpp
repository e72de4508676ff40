#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/system_io.h"
#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/packs.h"
#include "support/tree_compare.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;
using packfs::testing::TempDir;
using packfs::testing::write_host_file;

/// A small host tree beside a store.
struct HostTree : SampleStore {
  HostTree() {
    fs::create_directories(source + "/docs/sub");
    write_host_file(source + "/docs/a.txt", bytes_of("hello\n"));
    write_host_file(source + "/docs/sub/deep", bytes_of("deep"));
    fs::create_symlink("docs/a.txt", source + "/link");
    REQUIRE(::chmod((source + "/docs/a.txt").c_str(), 0640) == 0);
    REQUIRE(::chmod(source.c_str(), 0750) == 0);
  }
  [[nodiscard]] Outcome import(std::vector<std::string> more = {},
                               const packfs::testing::RunOptions& options = {}) const {
    more.insert(more.begin(), {"import", source, path});
    return run_cli(more, options);
  }
  std::string source = directory.path("source");
};

TEST_CASE("import takes in a host directory, with its attributes", "[cli][import]") {
  const HostTree s;
  const Outcome imported = s.import();
  CHECK(imported.exit_code == 0);
  CHECK(imported.out.empty());
  CHECK(imported.err.empty());
  CHECK(s.names() == "docs\ndocs/a.txt\ndocs/sub\ndocs/sub/deep\nlink\n");
  CHECK(s.cat("link") == "hello\n");
  const std::string copy = s.directory.path("copy");
  s.must({"unpack", "-C" + copy});
  CHECK(packfs::testing::compare_trees(s.source, copy).empty());
}

TEST_CASE("import into a PATH makes it, and merges with what is there", "[cli][import]") {
  const HostTree s;
  s.put("into/docs/mine", "mine");
  s.put("into/docs/a.txt", "old");
  s.must({"ln", "-s", "into", "by-link"});
  CHECK(s.import({"by-link"}).exit_code == 0);
  CHECK(s.cat("into/docs/a.txt") == "hello\n");
  CHECK(s.cat("into/docs/mine") == "mine");
  CHECK(packfs::testing::stat_field(s.run({"stat", "into"}), "mode") == "0755 drwxr-xr-x");
  CHECK(packfs::testing::stat_field(s.run({"stat", "by-link"}), "type") == "symlink");
  CHECK(s.import({"new/place"}).exit_code == 0);
  CHECK(s.cat("new/place/docs/sub/deep") == "deep");
  CHECK(packfs::testing::stat_field(s.run({"stat", "new"}), "mode") == "0755 drwxr-xr-x");
  CHECK(packfs::testing::stat_field(s.run({"stat", "new/place"}), "mode") == "0750 drwxr-x---");
}

TEST_CASE("import through a symlink to the directory, and with threads, is the same", "[cli][import]") {
  const HostTree s;
  CHECK(s.import({"one", "--threads", "1"}).exit_code == 0);
  CHECK(s.import({"four", "--threads=4"}).exit_code == 0);
  const std::string link = s.directory.path("link");
  fs::create_directory_symlink(s.source, link);
  CHECK(run_cli({"import", link, s.path, "linked"}).exit_code == 0);
  for (const std::string other : {"four", "linked"}) {
    const std::string names = s.run({"ls", "-lR", other}).out;
    CHECK_FALSE(names.empty());
    CHECK(names == s.run({"ls", "-lR", "one"}).out);
  }
}

TEST_CASE("a clash of types is named, and the rest is taken in", "[cli][import][json]") {
  const HostTree s;
  s.put("docs/a.txt/inside", "x");
  s.put("docs/sub", "a file");
  const Outcome imported = s.import({"--json"});
  CHECK(imported.exit_code == 3);
  CHECK(imported.err.find("docs/a.txt: File exists") != std::string::npos);
  CHECK(imported.err.find("docs/sub: File exists") != std::string::npos);
  const auto object = nlohmann::json::parse(imported.out);
  CHECK(object["path"] == s.path);
  CHECK(object["commit"] > 0);
  CHECK(object["entries"] == 2);
  CHECK(object["bytes"] == 0);
  CHECK(object["skipped"].size() == 2);
  CHECK(object["changed"] == nlohmann::json::array());
  CHECK(object["incomplete"] == nlohmann::json::array());
  CHECK(s.cat("docs/a.txt/inside") == "x");
  CHECK(s.cat("docs/sub") == "a file");
  CHECK(packfs::testing::stat_field(s.run({"stat", "link"}), "target") == "docs/a.txt");
}

TEST_CASE("what cannot be read is named, and the rest is taken in", "[cli][import]") {
  const HostTree s;
  FaultIo io(packfs::base::system_io());
  io.fail({.call = "openat", .path = "a.txt"}, EACCES);
  const Outcome imported = s.import({}, {.io = &io});
  CHECK(imported.exit_code == 3);
  CHECK(imported.err.find("docs/a.txt: Permission denied\n") != std::string::npos);
  CHECK(s.names() == "docs\ndocs/sub\ndocs/sub/deep\nlink\n");
}

TEST_CASE("import refuses what is no directory, and the store itself", "[cli][import]") {
  const HostTree s;
  const std::string file = s.source + "/docs/a.txt";
  CHECK(run_cli({"import", file, s.path}).err == "packfs: " + file + ": Not a directory\n");
  const std::string nope = s.directory.path("nope");
  CHECK(run_cli({"import", nope, s.path}).err == "packfs: " + nope + ": No such file or directory\n");
  const Outcome itself = run_cli({"import", s.path, s.path});
  CHECK(itself.exit_code == 2);
  CHECK(itself.err == "packfs: " + s.path + ": it is the store to write as well\n");
  CHECK(s.import({"../x"}).err == "packfs: ../x: path escapes its root\n");
  s.put("file", "x");
  CHECK(s.import({"file"}).err == "packfs: file: Not a directory\n");
  CHECK(s.names() == "file\n");
}

TEST_CASE("the store itself is left out of what is imported", "[cli][import]") {
  const HostTree s;
  const Outcome imported = run_cli({"import", s.directory.path(), s.path});
  CHECK(imported.exit_code == 0);
  CHECK(s.names() == "source\nsource/docs\nsource/docs/a.txt\nsource/docs/sub\nsource/docs/sub/deep\nsource/link\n");
}

TEST_CASE("an interrupted import leaves the store as it was", "[cli][import]") {
  const HostTree s;
  s.put("before", "x");
  std::atomic<bool> interrupted = false;
  FaultIo io(packfs::base::system_io());
  io.before({.call = "openat", .path = "deep"}, [&] { interrupted = true; });
  const Outcome stopped = s.import({}, {.io = &io, .interrupted = &interrupted});
  CHECK(stopped.exit_code == 1);
  CHECK(s.names() == "before\n");
}

TEST_CASE("when any call fails, import did all, nothing, or names what it left out", "[cli][import][faults]") {
  const HostTree s;
  s.put("before", "x");
  const std::string copy = s.directory.path("copy.store");
  const auto [error_number, for_ever] = GENERATE(table<int, bool>({{EIO, false}, {ENOSPC, true}, {EINTR, false}}));
  constexpr std::uint64_t kMostCalls = 5000;
  for (std::uint64_t nth = 1; nth < kMostCalls; ++nth) {
    INFO("call " << nth << " fails with errno " << error_number);
    fs::remove_all(copy);
    fs::copy(s.path, copy);
    FaultIo io(packfs::base::system_io());
    io.fail({.nth = nth, .for_ever = for_ever}, error_number);
    const Outcome outcome = run_cli({"import", s.source, copy, "--threads", "1"}, {.io = &io});
    INFO(outcome.err);
    CHECK(io.open_descriptors() == 0);
    const std::string names = run_cli({"ls", "-R", copy}).out;
    const bool is_all = names == "before\ndocs\ndocs/a.txt\ndocs/sub\ndocs/sub/deep\nlink\n";
    CHECK(run_cli({"check", copy}).exit_code == 0);
    if (outcome.exit_code == 0) CHECK(is_all);
    if (outcome.exit_code == 1) CHECK((is_all || names == "before\n"));
    if (outcome.exit_code == 3) CHECK_FALSE(outcome.err.empty());
    CHECK(outcome.exit_code != 2);
    if (!io.struck()) {
      CHECK(outcome.exit_code == 0);
      break;
    }
  }
}

TEST_CASE("a tree of everything odd comes back the same through a store", "[cli][import][roundtrip]") {
  if (!fs::is_directory("/dev/shm")) return;
  const TempDir directory("/dev/shm");
  const std::string source = directory.path("source");
  fs::create_directory(source);
  packfs::testing::make_odd_tree(source);
  const std::string store = directory.path("odd.store");
  REQUIRE(run_cli({"init", store}).exit_code == 0);
  const Outcome imported = run_cli({"import", source, store});
  CHECK(imported.exit_code == 0);
  CHECK(imported.err.empty());
  CHECK(run_cli({"check", store}).exit_code == 0);
  const std::string pack = directory.path("odd.pack");
  REQUIRE(run_cli({"pack", source, "-o", pack}).exit_code == 0);
  CHECK(run_cli({"diff", pack, store}).out.empty());
  const Outcome unpacked = run_cli({"unpack", "--privileged", store, "-C", directory.path("copy")});
  CHECK(unpacked.exit_code == 0);
  CHECK(unpacked.err.empty());
  CHECK(packfs::testing::compare_trees(source, directory.path("copy"), {.owners = ::geteuid() == 0, .holes = false}) ==
        std::vector<std::string>{});
}

}  // namespace
