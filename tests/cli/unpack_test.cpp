#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "support/odd_tree.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::Outcome;
using packfs::testing::read_host_file;
using packfs::testing::run_cli;
using packfs::testing::Sample;
using packfs::testing::TempDir;
using packfs::testing::text_of;

struct stat status_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

/// The lines of standard error that are about `path`.
bool names(const Outcome& outcome, const std::string& path) {
  return outcome.err.find("packfs: " + path + ": ") != std::string::npos;
}

TEST_CASE("unpack makes the tree, but for what needs a privilege, which is named", "[cli][unpack]") {
  const Sample s;
  const Outcome outcome = run_cli({"unpack", s.pack, "-C", s.out});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.out.empty());
  CHECK(names(outcome, "null"));
  CHECK(names(outcome, "su"));
  CHECK(names(outcome, "docs/sub"));
  CHECK(outcome.err.find("packfs: null: Operation not permitted (a device): needs --privileged\n") !=
        std::string::npos);
  CHECK_FALSE(names(outcome, "docs/a.txt"));
  CHECK(text_of(read_host_file(s.out + "/docs/a.txt")) == "hello\n");
  CHECK(fs::read_symlink(s.out + "/dangling") == "nowhere");
  CHECK(status_of(s.out + "/hard1").st_ino == status_of(s.out + "/hard2").st_ino);
  CHECK((status_of(s.out + "/su").st_mode & 07777) == 0755);
  CHECK((status_of(s.out + "/docs/sub").st_mode & 07777) == 0775);
  CHECK(S_ISFIFO(status_of(s.out + "/pipe").st_mode));
  CHECK_FALSE(fs::exists(fs::symlink_status(s.out + "/null")));
  CHECK(status_of(s.out + "/docs/a.txt").st_mtim.tv_sec == 951782400);
}

TEST_CASE("unpack --privileged keeps setid bits and makes devices", "[cli][unpack]") {
  if (::geteuid() != 0) return;
  const Sample s;
  const Outcome outcome = run_cli({"unpack", "--privileged", s.pack, "-C", s.out});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK((status_of(s.out + "/su").st_mode & 07777) == 04755);
  CHECK((status_of(s.out + "/docs/sub").st_mode & 07777) == 02775);
  CHECK(S_ISCHR(status_of(s.out + "/null").st_mode));
  CHECK(status_of(s.out + "/docs").st_uid == 1);
}

TEST_CASE("the root's attributes are set on a directory that unpack made, on no other", "[cli][unpack]") {
  const Sample s;
  run_cli({"unpack", s.pack, "-C", s.out, "--privileged"});
  CHECK((status_of(s.out).st_mode & 07777) == 0750);
  CHECK(status_of(s.out).st_mtim.tv_sec == 1000000000);
  const std::string existing = s.directory.path("existing");
  fs::create_directory(existing);
  ::chmod(existing.c_str(), 0711);
  run_cli({"unpack", s.pack, "-C", existing, "--privileged"});
  CHECK((status_of(existing).st_mode & 07777) == 0711);
  CHECK(status_of(existing).st_mtim.tv_sec != 1000000000);
}

TEST_CASE("unpack of PATHs makes those and their parents only", "[cli][unpack]") {
  const Sample s;
  const Outcome outcome = run_cli({"unpack", s.pack, "-C", s.out, "docs/a.txt", "hard2"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(s.out)) {
    static_cast<void>(entry);
    ++count;
  }
  CHECK(count == 3);
  CHECK(text_of(read_host_file(s.out + "/docs/a.txt")) == "hello\n");
  CHECK(text_of(read_host_file(s.out + "/hard2")) == "linked");
}

TEST_CASE("a PATH that is missing is named, the others are made", "[cli][unpack]") {
  const Sample s;
  const Outcome some = run_cli({"unpack", s.pack, "-C", s.out, "nope", "docs/a.txt"});
  CHECK(some.exit_code == 3);
  CHECK(some.err == "packfs: nope: No such file or directory\n");
  CHECK(fs::exists(s.out + "/docs/a.txt"));
  const std::string other = s.directory.path("other");
  const Outcome none = run_cli({"unpack", s.pack, "-C", other, "nope", "../x"});
  CHECK(none.exit_code == 1);
  CHECK(none.err == "packfs: nope: No such file or directory\npackfs: ../x: path escapes its root\n");
  CHECK_FALSE(fs::exists(other));
}

TEST_CASE("unpack merges directories, replaces files, and names a clash of types", "[cli][unpack]") {
  const Sample s;
  fs::create_directories(s.out + "/docs/mine");
  fs::create_directories(s.out + "/hard1/not empty");
  packfs::testing::write_host_file(s.out + "/docs/a.txt", packfs::testing::bytes_of("old"));
  const Outcome outcome = run_cli({"unpack", s.pack, "-C", s.out, "docs", "hard1", "link"});
  CHECK(outcome.exit_code == 3);
  CHECK(names(outcome, "hard1"));
  CHECK(fs::exists(s.out + "/docs/mine"));
  CHECK(fs::exists(s.out + "/hard1/not empty"));
  CHECK(text_of(read_host_file(s.out + "/docs/a.txt")) == "hello\n");
  CHECK(fs::read_symlink(s.out + "/link") == "docs/a.txt");
}

TEST_CASE("a target that cannot be made is named", "[cli][unpack]") {
  const Sample s;
  const Outcome outcome = run_cli({"unpack", s.pack, "-C", s.directory.path("a/b/c")});
  CHECK(outcome.exit_code == 1);
  CHECK(names(outcome, s.directory.path("a/b/c")));
  CHECK(run_cli({"unpack", s.pack, "-C", s.pack}).exit_code == 1);
}

TEST_CASE("unpack --json says what was done", "[cli][unpack][json]") {
  const Sample s;
  const Outcome outcome = run_cli({"unpack", "--json", s.pack, "-C", s.out, "docs", "null", "nope"});
  CHECK(outcome.exit_code == 3);
  const auto object = nlohmann::json::parse(outcome.out);
  CHECK(object["path"] == s.out);
  CHECK(object["made"] == true);
  CHECK(object["missing"] == nlohmann::json{{{"path", "nope"}, {"error", "No such file or directory"}}});
  CHECK(object["failed"] == nlohmann::json::array());
  std::vector<std::string> withheld;
  for (const auto& problem : object["withheld"]) withheld.push_back(problem["path"]);
  CHECK(withheld == std::vector<std::string>{"docs/sub", "null"});
}

TEST_CASE("a tree of everything odd comes back the same", "[cli][unpack][roundtrip]") {
  if (!fs::is_directory("/dev/shm")) return;
  const TempDir directory("/dev/shm");
  const std::string source = directory.path("source");
  fs::create_directory(source);
  packfs::testing::make_odd_tree(source);
  const std::string codec = GENERATE("none", "zstd");
  const std::string pack = directory.path("odd.pack");
  const Outcome packed = run_cli({"pack", source, "-o", pack, "--codec", codec});
  CHECK(packed.exit_code == 0);
  CHECK(packed.err.empty());
  const Outcome verified = run_cli({"verify", pack});
  CHECK(verified.exit_code == 0);
  const Outcome unpacked = run_cli({"unpack", "--privileged", pack, "-C", directory.path("copy")});
  CHECK(unpacked.exit_code == 0);
  CHECK(unpacked.err.empty());
  CHECK(packfs::testing::compare_trees(source, directory.path("copy"), {.owners = ::geteuid() == 0}).empty());
}

}  // namespace
