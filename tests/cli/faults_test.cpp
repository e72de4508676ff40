#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::read_host_file;
using packfs::testing::run_cli;
using packfs::testing::TempDir;
using packfs::testing::text_of;
using packfs::testing::write_host_file;

/// Runs `attempt` with the first, the second, ... call failing, until a run needs fewer calls.
template <class Attempt>
void with_each_call_failing(int error_number, bool for_ever, Attempt attempt) {
  constexpr std::uint64_t kMostCalls = 5000;
  for (std::uint64_t nth = 1;; ++nth) {
    REQUIRE(nth < kMostCalls);
    INFO("call " << nth << " fails with errno " << error_number);
    FaultIo io(packfs::base::system_io());
    io.fail({.nth = nth, .for_ever = for_ever}, error_number);
    attempt(io);
    CHECK(io.open_descriptors() == 0);
    if (!io.struck()) return;
  }
}

TEST_CASE("when any call fails, pack leaves the old file or a whole one", "[cli][faults]") {
  const TempDir directory;
  const std::string source = directory.path("src");
  const std::string target = directory.path("target");
  const std::string out = target + "/out.pack";
  fs::create_directories(source + "/dir");
  fs::create_directory(target);
  write_host_file(source + "/a", bytes_of("content of a"));
  write_host_file(source + "/dir/b", bytes_of(std::string(100000, 'b')));
  fs::create_symlink("a", source + "/link");
  REQUIRE(run_cli({"pack", source, "-o", out}).exit_code == 0);
  const std::string whole = text_of(read_host_file(out));

  const auto [error_number, for_ever] =
      GENERATE(table<int, bool>({{EIO, false}, {ENOSPC, true}, {EINTR, false}, {EMFILE, true}}));
  with_each_call_failing(error_number, for_ever, [&](FaultIo& io) {
    write_host_file(out, bytes_of("old"));
    const Outcome outcome = run_cli({"pack", source, "-o", out, "--threads", "1"}, {.io = &io});
    const std::string after = text_of(read_host_file(out));
    INFO(outcome.err);
    if (outcome.exit_code == 0) {
      CHECK(after == whole);
    } else if (outcome.exit_code == 3) {
      CHECK_FALSE(outcome.err.empty());
      CHECK(run_cli({"verify", out}).exit_code == 0);
    } else {
      CHECK(outcome.exit_code == 1);
      CHECK((after == "old" || after == whole));
    }
    if (!io.struck()) CHECK(outcome.exit_code == 0);
  });
}

TEST_CASE("when any call fails, unpack says so or the tree is right", "[cli][faults]") {
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  const std::vector<std::string> what = {"docs", "empty", "hard1", "hard2", "link"};
  std::vector<std::string> arguments = {"unpack", pack, "--privileged", "-C", directory.path("right")};
  arguments.insert(arguments.end(), what.begin(), what.end());
  REQUIRE(run_cli(arguments).exit_code == 0);

  const std::string read_mode = GENERATE("mmap", "pread");
  const auto [error_number, for_ever] =
      GENERATE(table<int, bool>({{EIO, false}, {ENOSPC, true}, {EINTR, false}, {EMFILE, true}}));
  arguments[4] = directory.path("copy");
  arguments.insert(arguments.end(), {"--read-mode", read_mode});
  with_each_call_failing(error_number, for_ever, [&](FaultIo& io) {
    packfs::testing::remove_tree(arguments[4]);
    const Outcome outcome = run_cli(arguments, {.io = &io});
    INFO(outcome.err);
    if (outcome.exit_code == 0) {
      CHECK(packfs::testing::compare_trees(directory.path("right"), arguments[4], {.root_attributes = false}) ==
            std::vector<std::string>{});
    } else {
      CHECK((outcome.exit_code == 1 || outcome.exit_code == 3));
      if (!for_ever) CHECK_FALSE(outcome.err.empty());  // writing the message fails as well, if everything does
    }
    if (!io.struck()) CHECK(outcome.exit_code == 0);
  });
}

TEST_CASE("when any call fails, readers say so or print the right thing", "[cli][faults]") {
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  const std::string read_mode = GENERATE("mmap", "pread");
  const std::string command = GENERATE("ls", "cat", "stat", "info", "verify");
  std::vector<std::string> arguments = {command, "--read-mode", read_mode, pack};
  if (command == "ls") arguments.insert(arguments.end(), {"-lR"});
  if (command == "cat" || command == "stat") arguments.insert(arguments.end(), {"docs/a.txt", "hard2"});
  const Outcome right = run_cli(arguments);
  REQUIRE(right.exit_code == 0);
  with_each_call_failing(EIO, false, [&](FaultIo& io) {
    const Outcome outcome = run_cli(arguments, {.io = &io});
    if (outcome.exit_code == 0) CHECK(outcome.out == right.out);
    if (!io.struck()) CHECK(outcome.exit_code == 0);
  });
}

}  // namespace
