#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::Catcher;
using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::read_host_file;
using packfs::testing::run_cli;
using packfs::testing::run_cli_into;
using packfs::testing::TempDir;
using packfs::testing::text_of;
using packfs::testing::write_host_file;

/// A small host tree: src/{a, dir/b, link -> a}.
struct Tree {
  Tree() {
    fs::create_directories(source + "/dir");
    write_host_file(source + "/a", bytes_of("content of a"));
    write_host_file(source + "/dir/b", bytes_of("content of b"));
    fs::create_symlink("a", source + "/link");
  }
  TempDir directory;
  std::string source = directory.path("src");
  std::string out = directory.path("out.pack");
};

TEST_CASE("the contents of one directory become the root", "[cli][pack]") {
  const Tree t;
  ::chmod(t.source.c_str(), 0710);
  const Outcome packed = run_cli({"pack", t.source, "-o", t.out});
  CHECK(packed.exit_code == 0);
  CHECK(packed.out.empty());
  CHECK(packed.err.empty());
  CHECK(run_cli({"ls", "-R", t.out}).out == "a\ndir\ndir/b\nlink\n");
  CHECK(run_cli({"cat", t.out, "dir/b"}).out == "content of b");
  CHECK(nlohmann::json::parse(run_cli({"stat", "--json", t.out, "."}).out)["mode"] == "0710");
  CHECK(run_cli({"verify", t.out}).exit_code == 0);
}

TEST_CASE("several sources, or one that is no directory, stand under their base names", "[cli][pack]") {
  const Tree t;
  CHECK(run_cli({"pack", t.source + "/dir//", t.source + "/a", t.source + "/link", "-o", t.out}).exit_code == 0);
  CHECK(run_cli({"ls", "-R", t.out}).out == "a\ndir\ndir/b\nlink\n");
  CHECK(run_cli({"pack", t.source + "/a", "-o", t.out}).exit_code == 0);
  CHECK(run_cli({"ls", "-R", t.out}).out == "a\n");
  CHECK(run_cli({"pack", t.source + "/dir/.", t.source + "/dir/../a", "-o", t.out}).exit_code == 0);
  CHECK(run_cli({"ls", "-R", t.out}).out == "a\ndir\ndir/b\n");
  CHECK(run_cli({"pack", t.source + "/dir/..", t.source + "/a", "-o", t.out}).exit_code == 0);
  CHECK(run_cli({"ls", t.out}).out == "a\nsrc\n");
}

TEST_CASE("sources without a name of their own are wrong usage, and nothing is written", "[cli][pack]") {
  const Tree t;
  const std::string b = t.source + "/dir/b";
  const Outcome alike = run_cli({"pack", b, t.source + "/a", t.source + "/dir/../dir/b", "-o", t.out});
  CHECK(alike.exit_code == 2);
  CHECK(alike.err == "packfs: " + t.source + "/dir/../dir/b: File exists (two sources of one base name)\n");
  const Outcome root = run_cli({"pack", b, "/", "-o", t.out});
  CHECK(root.exit_code == 2);
  CHECK(root.err == "packfs: /: Invalid argument (it has no name to stand under)\n");
  CHECK(run_cli({"pack", t.source + "/dir/.", t.source + "/dir", "-o", t.out}).exit_code == 2);
  CHECK_FALSE(fs::exists(t.out));
}

TEST_CASE("a source that is not there fails, and nothing is written", "[cli][pack]") {
  const Tree t;
  for (const std::vector<std::string>& sources :
       {std::vector<std::string>{t.directory.path("no")}, {t.source, t.directory.path("no")}}) {
    std::vector<std::string> arguments = {"pack", "-o", t.out};
    arguments.insert(arguments.end(), sources.begin(), sources.end());
    const Outcome outcome = run_cli(arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "packfs: " + t.directory.path("no") + ": No such file or directory\n");
  }
  CHECK_FALSE(fs::exists(t.out));
}

TEST_CASE("a pack in its own source is not packed, nor is the one it replaces", "[cli][pack]") {
  const Tree t;
  const std::string inside = t.source + "/dir/own.pack";
  CHECK(run_cli({"pack", t.source, "-o", inside}).exit_code == 0);
  const std::string names = run_cli({"ls", "-R", inside}).out;
  CHECK(names == "a\ndir\ndir/b\nlink\n");
  const Outcome again = run_cli({"pack", t.source, "-o", inside});
  CHECK(again.exit_code == 0);
  CHECK(again.err.empty());
  CHECK(run_cli({"ls", "-R", inside}).out == names);

  const int out = ::open(inside.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  REQUIRE(out >= 0);
  CHECK(run_cli_into(out, {"pack", t.source, "-o", "-"}).exit_code == 0);
  ::close(out);
  CHECK(run_cli({"ls", "-R", inside}).out == names);
}

TEST_CASE("a source is never replaced by the pack", "[cli][pack]") {
  const Tree t;
  const std::string a = t.source + "/a";
  const Outcome outcome = run_cli({"pack", a, "-o", a});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err == "packfs: " + a + ": it is the pack to write as well\n");
  CHECK(text_of(read_host_file(a)) == "content of a");
}

TEST_CASE("the same tree gives the same bytes: to a file, through a pipe, with any number of threads", "[cli][pack]") {
  const Tree t;
  const std::string codec = GENERATE("none", "zstd", "zstd:19");
  REQUIRE(run_cli({"pack", t.source, "-o", t.out, "--codec", codec, "--threads", "1"}).exit_code == 0);
  const std::string expected = text_of(read_host_file(t.out));
  REQUIRE(expected.size() < 60000);

  const std::string other = t.directory.path("other.pack");
  REQUIRE(run_cli({"pack", t.source, "-o", other, "--codec", codec, "--threads", "4"}).exit_code == 0);
  CHECK(text_of(read_host_file(other)) == expected);

  int ends[2];  // holds a pack of this size without a reader
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  CHECK(run_cli_into(ends[1], {"pack", t.source, "-o", "-", "--codec", codec}).exit_code == 0);
  ::close(ends[1]);
  std::string piped(expected.size() + 1, '\0');
  std::size_t length = 0;
  for (ssize_t count = 1; count > 0; length += static_cast<std::size_t>(count)) {
    count = ::read(ends[0], piped.data() + length, piped.size() - length);
    REQUIRE(count >= 0);
  }
  ::close(ends[0]);
  piped.resize(length);
  CHECK(piped == expected);
}

TEST_CASE("what cannot be read is named, the rest is packed", "[cli][pack]") {
  const Tree t;
  write_host_file(t.source + "/gone", bytes_of("soon"));
  FaultIo io(packfs::base::system_io());
  io.fail({.call = "openat", .for_ever = true, .path = "b"}, EACCES);
  io.before({.call = "openat", .path = "gone"}, [&] { fs::remove(t.source + "/gone"); });
  const Outcome outcome = run_cli({"pack", t.source, "-o", t.out, "--threads", "1"}, {.io = &io});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.err == "packfs: " + t.source + "/gone: No such file or directory\npackfs: " + t.source +
                           "/dir/b: Permission denied\n");
  CHECK(run_cli({"ls", "-R", t.out}).out == "a\ndir\nlink\n");

  io.heal();
  io.fail({.call = "openat", .for_ever = true, .path = "b"}, EACCES);
  const Outcome json = run_cli({"pack", "--json", t.source, "-o", t.out}, {.io = &io});
  CHECK(json.exit_code == 3);
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object["path"] == t.out);
  CHECK(object["entries"] == 3);
  REQUIRE(object["skipped"].size() == 1);
  CHECK(object["skipped"][0]["path"] == t.source + "/dir/b");
}

TEST_CASE("an output that cannot be made is named", "[cli][pack]") {
  const Tree t;
  const Outcome missing = run_cli({"pack", t.source, "-o", t.directory.path("no/x.pack")});
  CHECK(missing.exit_code == 1);
  CHECK(missing.err == "packfs: " + t.directory.path("no/x.pack") + ": No such file or directory\n");
  const Outcome directory = run_cli({"pack", t.source, "-o", t.directory.path()});
  CHECK(directory.exit_code == 1);
  CHECK(directory.err == "packfs: " + t.directory.path() + ": Is a directory\n");
}

TEST_CASE("an interrupted pack leaves the old one and no other file", "[cli][pack]") {
  const Tree t;
  write_host_file(t.out, bytes_of("old"));
  std::atomic<bool> interrupted = false;
  FaultIo io(packfs::base::system_io());
  io.before({.call = "openat", .path = "a"}, [&] { interrupted = true; });
  const Outcome outcome = run_cli({"pack", t.source, "-o", t.out}, {.io = &io, .interrupted = &interrupted});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "packfs: " + t.out + ": Operation canceled\n");
  CHECK(text_of(read_host_file(t.out)) == "old");
  CHECK(std::distance(fs::directory_iterator(t.directory.path()), fs::directory_iterator{}) == 2);
}

TEST_CASE("a full disk leaves the old pack and no other file", "[cli][pack]") {
  const Tree t;
  write_host_file(t.out, bytes_of("old"));
  FaultIo io(packfs::base::system_io());
  io.fail({.call = "write", .for_ever = true}, ENOSPC);
  io.fail({.call = "writev", .for_ever = true}, ENOSPC);
  const Outcome outcome = run_cli({"pack", t.source, "-o", t.out}, {.io = &io});
  CHECK(outcome.exit_code == 1);
  CHECK(text_of(read_host_file(t.out)) == "old");
  CHECK(std::distance(fs::directory_iterator(t.directory.path()), fs::directory_iterator{}) == 2);
}

}  // namespace
