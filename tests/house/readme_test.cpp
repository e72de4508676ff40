#include <catch2/catch.hpp>

#include "house/run.h"
#include "packfs/pack.h"
#include "support/temp_dir.h"

namespace packfs::house {
namespace {

TEST_CASE("the program in the README packs, lists, reads and changes as it says", "[house][readme]") {
  const testing::TempDir directory;
  const Outcome outcome = run_shell("cd " + directory.path() + " && " PACKFS_README_PROGRAM);
  CHECK(outcome.exit_code == 0);
  // Ten pages, their directory, and the one that was renamed.
  CHECK(outcome.output == "docs/en\nHello, pack.\ndocs/english was docs/en\n12 changes\n");
  const auto changed = Pack::open(directory.path("changed.pack"));
  REQUIRE(changed);
  CHECK(changed->root().stat("docs/page-9.txt"));
  CHECK(changed->root().stat("docs/english/hello.txt"));
  CHECK(changed->root().totals()->entries == 14);
}

TEST_CASE("the program in the README reports an error and fails", "[house][readme]") {
  const testing::TempDir directory;
  const Outcome outcome =
      run_shell("cd " + directory.path() + " && mkdir hello.pack && " PACKFS_README_PROGRAM " 2>&1");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.output.find("hello.pack") != std::string::npos);
}

}  // namespace
}  // namespace packfs::house
