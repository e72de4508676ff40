// Every call of an import fails once, and from some call on all do.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "host/trees.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

void make_sources(const std::string& root) {
  for (const char* name : {"/d", "/d/e", "/d/e/f", "/g"}) REQUIRE(::mkdir((root + name).c_str(), 0755) == 0);
  for (const char* name : {"/a", "/d/b", "/d/e/c", "/d/e/f/x"})
    write_file(root + name, std::string("content of ") + name);
  write_file(root + "/large", std::string(2 << 20, 'L'));
  REQUIRE(::link((root + "/a").c_str(), (root + "/d/linked").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (root + "/g/symlink").c_str()) == 0);
  REQUIRE(::mkfifo((root + "/g/fifo").c_str(), 0600) == 0);
}

/// Every path of `whole` that `part` lacks is skipped, or below something skipped.
void check_nothing_lost(const std::string& root, const std::vector<std::string>& paths, const Imported& part) {
  for (const std::string& path : paths) {
    if (part.tree.find(path) != nullptr) continue;
    const std::string full = root + "/" + path;
    const bool named = std::ranges::any_of(part.report.skipped, [&](const host::Problem& problem) {
      return full == problem.path || full.starts_with(problem.path + "/");
    });
    CAPTURE(path);
    CHECK(named);
  }
}

const std::vector<std::string> kPaths{"a",     "large", "d",       "d/b", "d/linked", "d/e",
                                      "d/e/c", "d/e/f", "d/e/f/x", "g",   "g/fifo",   "g/symlink"};

}  // namespace

TEST_CASE("whatever call fails, an import ends with an error or names what is missing", "[host][import][fault]") {
  const TempDir dir(kTmpfs);
  make_sources(dir.path());
  const auto whole = import_into_memory({dir.path()});
  REQUIRE(whole.result);
  REQUIRE(whole.report.exact());

  const unsigned threads = GENERATE(1U, 2U);
  const bool for_ever = GENERATE(false, true);
  const int error = GENERATE(EIO, EMFILE, ENOMEM, EACCES, EINTR);
  if (for_ever && error == EINTR) return;  // a signal that never ends
  CAPTURE(threads, for_ever, error);
  std::uint64_t nth = 1;
  for (; nth < 5000; ++nth) {
    CAPTURE(nth);
    FaultIo io(base::system_io());
    io.fail({.nth = nth, .for_ever = for_ever}, error);
    const auto imported = import_into_memory({dir.path()}, {.threads = threads, .helpers_after = 0}, io);
    CHECK(io.open_descriptors() == 0);
    if (!io.struck()) break;
    if (!imported.result) continue;
    check_nothing_lost(dir.path(), kPaths, imported);
    if (imported.report.exact()) CHECK((imported.tree.calls() == whole.tree.calls()));
  }
  CHECK(nth > 60);
  CHECK(nth < 5000);
}

TEST_CASE("short reads change nothing", "[host][import][fault]") {
  const TempDir dir(kTmpfs);
  make_sources(dir.path());
  const auto whole = import_into_memory({dir.path()});
  FaultIo io(base::system_io());
  io.shorten({.call = "pread", .for_ever = true}, 1000);
  const auto imported = import_into_memory({dir.path()}, {}, io);
  REQUIRE(imported.result);
  CHECK(imported.report.exact());
  CHECK((imported.tree.calls() == whole.tree.calls()));
}
