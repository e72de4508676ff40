#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"
#include "packfs/volume.h"
#include "store/stores.h"
#include "support/packs.h"

// What every command on a store has in common when it goes wrong.
namespace {

namespace fs = std::filesystem;
using packfs::testing::Outcome;
using packfs::testing::read_host_file;
using packfs::testing::run_cli;
using packfs::testing::run_cli_into;
using packfs::testing::SampleStore;
using packfs::testing::segment_of;
using packfs::testing::text_of;
using packfs::testing::write_host_file;

using Line = std::vector<std::string>;

/// A line of each command that changes a store; "STORE" stands for its path.
const std::vector<Line>& writers() {
  static const std::vector<Line> lines{{"put", "STORE", "new"},        {"mkdir", "STORE", "d"},
                                       {"rm", "STORE", "file"},        {"mv", "STORE", "file", "moved"},
                                       {"cp", "STORE", "file", "c"},   {"ln", "STORE", "file", "l"},
                                       {"ln", "-s", "STORE", "x", "l"}};
  return lines;
}

/// The same of each command that reads one.
const std::vector<Line>& readers() {
  static const std::vector<Line> lines{{"ls", "STORE"},   {"cat", "STORE", "file"},  {"stat", "STORE", "file"},
                                       {"info", "STORE"}, {"verify", "STORE"},       {"check", "STORE"},
                                       {"log", "STORE"},  {"diff", "STORE", "STORE"}};
  return lines;
}

std::vector<Line> all_of(std::vector<Line> lines, const std::vector<Line>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

Outcome run_on(const Line& line, const std::string& store, const packfs::testing::RunOptions& options = {}) {
  Line arguments = line;
  for (std::string& argument : arguments) {
    if (argument == "STORE") argument = store;
  }
  return run_cli(arguments, options);
}

struct OneFile : SampleStore {
  OneFile() { put("file", "content"); }
};

TEST_CASE("a store that is not there is named", "[cli][store]") {
  const packfs::testing::TempDir directory;
  const std::string missing = directory.path("nope");
  const std::string empty = directory.path("empty");
  fs::create_directory(empty);
  for (const Line& line : all_of(readers(), writers())) {
    INFO(line[0]);
    const Outcome on_missing = run_on(line, missing);
    CHECK(on_missing.exit_code == 1);
    CHECK(on_missing.err == "packfs: " + missing + ": No such file or directory\n");
    const Outcome on_empty = run_on(line, empty);
    CHECK(on_empty.exit_code == 1);
    CHECK(on_empty.err == "packfs: " + empty + "/CURRENT: No such file or directory (there is no store here)\n");
  }
  CHECK_FALSE(fs::exists(missing));
  CHECK(fs::is_empty(empty));
}

TEST_CASE("a pack given where a store is to be changed is left as it is", "[cli][store]") {
  const packfs::testing::Sample s;
  const std::string before = text_of(read_host_file(s.pack));
  for (const Line& line : all_of(writers(), {{"log", "STORE"}, {"check", "STORE"}, {"repair", "STORE"}})) {
    INFO(line[0]);
    const Outcome outcome = run_on(line, s.pack);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "packfs: " + s.pack + ": Not a directory (a store is a directory)\n");
  }
  CHECK(text_of(read_host_file(s.pack)) == before);
}

TEST_CASE("while somebody writes a store, others read it and nobody else writes", "[cli][store]") {
  const OneFile s;
  auto volume = packfs::Volume::open(s.path);
  REQUIRE(volume);
  packfs::testing::must(volume->write("file", packfs::testing::bytes_of("newer")));
  for (const Line& line : writers()) {
    INFO(line[0]);
    const Outcome outcome = run_on(line, s.path);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "packfs: " + s.path + "/LOCK: Device or resource busy (another writer has the store open)\n");
  }
  CHECK(s.run({"repair"}).exit_code == 1);
  for (const Line& line : readers()) {
    INFO(line[0]);
    const Outcome outcome = run_on(line, s.path);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
  }
  CHECK(s.cat("file") == "newer");
}

TEST_CASE("readers change nothing in a store and lock nothing", "[cli][store]") {
  const OneFile s;
  for (const Line& line : all_of(readers(), {{"export", "STORE", s.directory.path("out")}})) {
    packfs::testing::FaultIo io(packfs::base::system_io());
    CHECK(run_on(line, s.path, {.io = &io}).exit_code == 0);
    for (const auto& call : io.log()) {
      if (call.path == "LOCK" || call.name == "fsync" || call.name == "try_lock") FAIL(line[0] << " " << call.name);
    }
  }
}

TEST_CASE("a store whose journal is damaged is not changed, and the place is named", "[cli][store][damage]") {
  const OneFile s;
  s.put("second", "x");
  const std::string segment = segment_of(s.path);
  packfs::testing::flip(segment, 64 + 40);  // in the first record's head
  const std::string before = text_of(read_host_file(segment));
  for (const Line& line : all_of(writers(), {{"ls", "STORE"}, {"cat", "STORE", "second"}, {"info", "STORE"}})) {
    INFO(line[0]);
    const Outcome outcome = run_on(line, s.path);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.starts_with("packfs: " + segment + ": corrupt at offset 64"));
  }
  CHECK(text_of(read_host_file(segment)) == before);
}

TEST_CASE("a store that lost its manifest says what may help", "[cli][store][damage]") {
  const OneFile s;
  fs::remove(s.path + "/CURRENT");
  const Outcome outcome = s.run({"ls"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "packfs: " + s.path + "/CURRENT: No such file or directory (the store has lost it, repair may help)\n");
  CHECK(s.run({"put", "x"}).err == outcome.err);
  CHECK(s.run({"init"}).exit_code == 1);
}

TEST_CASE("a full disk behind standard output fails commands on stores", "[cli][store]") {
  const OneFile s;
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  for (const Line& line : readers()) {
    if (line[0] == "diff") continue;  // it has nothing to say
    Line arguments = line;
    arguments[1] = s.path;
    INFO(line[0]);
    const Outcome outcome = run_cli_into(full, arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "packfs: standard output: No space left on device\n");
  }
  const Outcome put = run_cli_into(full, {"put", "--json", s.path, "new"});
  CHECK(put.exit_code == 1);
  CHECK(put.err == "packfs: standard output: No space left on device\n");
  CHECK(s.cat("new").empty());  // it was done all the same
  ::close(full);
}

TEST_CASE("a reader that went away ends commands on stores quietly", "[cli][store]") {
  std::signal(SIGPIPE, SIG_IGN);
  const OneFile s;
  s.put("more", "x");
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[0]);
  const std::string empty = s.directory.path("empty.store");
  REQUIRE(run_cli({"init", empty}).exit_code == 0);
  for (const Line& arguments : {Line{"ls", s.path}, Line{"log", s.path}, Line{"diff", empty, s.path},
                                Line{"check", s.path}, Line{"rm", "--json", s.path, "more"}}) {
    INFO(arguments[0]);
    const Outcome outcome = run_cli_into(ends[1], arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.empty());
  }
  ::close(ends[1]);
}

}  // namespace
