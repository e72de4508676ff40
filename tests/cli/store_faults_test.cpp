#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "support/fault_io.h"
#include "support/packs.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;

std::vector<std::string> on_store(std::vector<std::string> line, const std::string& store) {
  std::ranges::replace(line, "STORE", store);
  return line;
}

/// Runs a command on a fresh copy of a store with the first, the second, ... call failing, until a run needs fewer.
template <class Check>
void on_a_copy_with_each_call_failing(const std::vector<std::string>& line, const std::string& original,
                                      const std::string& copy, int error_number, bool for_ever, Check check) {
  constexpr std::uint64_t kMostCalls = 5000;
  for (std::uint64_t nth = 1;; ++nth) {
    REQUIRE(nth < kMostCalls);
    INFO("call " << nth << " fails with errno " << error_number);
    fs::remove_all(copy);
    if (!original.empty()) fs::copy(original, copy);
    FaultIo io(packfs::base::system_io());
    io.fail({.nth = nth, .for_ever = for_ever}, error_number);
    const Outcome outcome = run_cli(on_store(line, copy), {.io = &io, .in = "new content"});
    INFO(outcome.err);
    CHECK(io.open_descriptors() == 0);
    if (!io.struck()) CHECK(outcome.exit_code == 0);
    check(outcome);
    if (!io.struck()) return;
  }
}

TEST_CASE("when any call fails, a command on a store did all or nothing, and says if it did it", "[cli][faults]") {
  const SampleStore s;
  s.put("file", "old content");
  s.put("dir/file", "x");
  const std::string copy = s.directory.path("copy.store");
  const auto line = GENERATE(std::vector<std::string>{"put", "STORE", "file"},
                             std::vector<std::string>{"mkdir", "-p", "STORE", "a/b", "c"},
                             std::vector<std::string>{"rm", "-r", "STORE", "dir", "file"},
                             std::vector<std::string>{"mv", "STORE", "dir", "moved"},
                             std::vector<std::string>{"cp", "STORE", "dir/file", "file"},
                             std::vector<std::string>{"ln", "STORE", "file", "dir/other"});
  const auto [error_number, for_ever] =
      GENERATE(table<int, bool>({{EIO, false}, {ENOSPC, true}, {EINTR, false}, {EMFILE, true}}));
  const auto state_of = [](const std::string& store) {
    const Outcome names = run_cli({"ls", "-R", store});
    CHECK(names.err.empty());
    return names.out + run_cli({"cat", store, "file"}).out;
  };
  const std::string before = state_of(s.path);
  fs::copy(s.path, copy);
  REQUIRE(run_cli(on_store(line, copy), {.in = "new content"}).exit_code == 0);
  const std::string after = state_of(copy);
  on_a_copy_with_each_call_failing(line, s.path, copy, error_number, for_ever, [&](const Outcome& outcome) {
    CHECK((outcome.exit_code == 0 || outcome.exit_code == 1));
    if (outcome.exit_code == 1 && !for_ever) CHECK_FALSE(outcome.err.empty());
    const std::string now = state_of(copy);
    // A sync that failed leaves open whether the commit is there.
    CHECK((now == after || (outcome.exit_code == 1 && now == before)));
  });
}

TEST_CASE("when any call fails, init makes a store or says so, and can be tried again", "[cli][faults]") {
  const packfs::testing::TempDir directory;
  const std::string store = directory.path("store");
  const auto [error_number, for_ever] = GENERATE(table<int, bool>({{EIO, false}, {ENOSPC, true}, {EINTR, false}}));
  on_a_copy_with_each_call_failing({"init", "STORE"}, "", store, error_number, for_ever, [&](const Outcome& outcome) {
    if (outcome.exit_code != 0) {
      const Outcome again = run_cli({"init", store});
      // It may have come so far that there is one.
      CHECK((again.exit_code == 0 || again.err.find("a store is there") != std::string::npos));
    }
    CHECK(run_cli({"put", store, "file"}, {.in = "x"}).exit_code == 0);
    CHECK(run_cli({"cat", store, "file"}).out == "x");
  });
}

TEST_CASE("when any call fails, readers of a store say so or print the right thing", "[cli][faults]") {
  const SampleStore s;
  s.put("a/file", "content");
  s.must({"ln", "-s", "a", "link"});
  const auto line = GENERATE(
      std::vector<std::string>{"ls", "-lR", "STORE"}, std::vector<std::string>{"cat", "STORE", "a/file", "link/file"},
      std::vector<std::string>{"stat", "STORE", "a/file"}, std::vector<std::string>{"info", "STORE"},
      std::vector<std::string>{"check", "STORE"}, std::vector<std::string>{"log", "STORE"},
      std::vector<std::string>{"diff", "STORE", "STORE"});
  const Outcome right = run_cli(on_store(line, s.path));
  REQUIRE(right.exit_code == 0);
  constexpr std::uint64_t kMostCalls = 5000;
  for (std::uint64_t nth = 1; nth < kMostCalls; ++nth) {
    FaultIo io(packfs::base::system_io());
    io.fail({.nth = nth}, EIO);
    const Outcome outcome = run_cli(on_store(line, s.path), {.io = &io});
    INFO("call " << nth << ": " << outcome.err);
    CHECK(io.open_descriptors() == 0);
    if (outcome.exit_code == 0) CHECK(outcome.out == right.out);
    if (!io.struck()) {
      CHECK(outcome.exit_code == 0);
      break;
    }
  }
}

}  // namespace
