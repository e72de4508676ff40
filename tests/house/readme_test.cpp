#include <catch2/catch.hpp>

#include "house/run.h"
#include "support/temp_dir.h"

namespace packfs::house {
namespace {

TEST_CASE("the program in the README packs, lists and reads as it says", "[house][readme]") {
  const testing::TempDir directory;
  const Outcome outcome = run_shell("cd " + directory.path() + " && " PACKFS_README_PROGRAM);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.output == "docs/en\nHello, pack.\n");
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
