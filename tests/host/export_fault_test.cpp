// Every call of an export fails once, and from some call on all do.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "host/export.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Lines = std::vector<std::string>;

void make_small_tree(const std::string& root) {
  for (const char* name : {"/d", "/d/e", "/d/e/f", "/g"}) REQUIRE(::mkdir((root + name).c_str(), 0755) == 0);
  for (const char* name : {"/a", "/d/b", "/d/e/f/x"}) write_file(root + name, std::string("content of ") + name);
  write_file(root + "/g/sparse", "begin");
  REQUIRE(::truncate((root + "/g/sparse").c_str(), 100'000) == 0);
  REQUIRE(::link((root + "/a").c_str(), (root + "/d/e/linked").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (root + "/g/symlink").c_str()) == 0);
  REQUIRE(::mkfifo((root + "/g/fifo").c_str(), 0640) == 0);
}

}  // namespace

TEST_CASE("whatever call fails, an export ends with an error or names what is missing", "[host][export][fault]") {
  const TempDir dir(kTmpfs);
  const std::string source = dir.path("source");
  REQUIRE(::mkdir(source.c_str(), 0750) == 0);
  make_small_tree(source);
  const auto imported = import_into_memory({source});
  REQUIRE(imported.report.exact());

  const bool over_old = GENERATE(false, true);
  const bool for_ever = GENERATE(false, true);
  const int error = GENERATE(EIO, EMFILE, EACCES, ENOSPC, EINTR);
  if (for_ever && error == EINTR) return;  // a signal that never ends
  CAPTURE(over_old, for_ever, error);
  std::uint64_t nth = 1;
  for (; nth < 5000; ++nth) {
    CAPTURE(nth);
    const std::string target = dir.path("target");
    if (over_old) {
      auto before = host::Exporter::open(base::system_io(), imported.tree.view(), target, {});
      REQUIRE((before && before->write_all()));
    }
    FaultIo io(base::system_io());
    io.fail({.nth = nth, .for_ever = for_ever}, error);
    bool exact = false;
    {
      host::ExportOptions options;
      options.root_attributes = host::Choice::always;
      auto exporter = host::Exporter::open(io, imported.tree.view(), target, options);
      exact = exporter && exporter->write_all() && exporter->report().exact();
    }
    CHECK(io.open_descriptors() == 0);
    // A probe for a default ACL may fail unseen: there is none.
    if (exact) CHECK(compare_trees(source, target) == Lines{});
    remove_tree(target);
    if (!io.struck()) break;
  }
  CHECK(nth > 60);
  CHECK(nth < 5000);
}

TEST_CASE("short writes change nothing", "[host][export][fault]") {
  const TempDir dir(kTmpfs);
  const std::string source = dir.path("source");
  REQUIRE(::mkdir(source.c_str(), 0750) == 0);
  make_small_tree(source);
  const auto imported = import_into_memory({source});
  FaultIo io(base::system_io());
  io.shorten({.call = "pwrite", .for_ever = true}, 3);
  auto exporter = host::Exporter::open(io, imported.tree.view(), dir.path("target"), {});
  REQUIRE(exporter);
  REQUIRE(exporter->write_all());
  CHECK(exporter->report().exact());
  CHECK(compare_trees(source, dir.path("target")) == Lines{});
}
