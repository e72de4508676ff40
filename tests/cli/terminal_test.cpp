#include <catch2/catch.hpp>
#include <string>

#include "cli/cli_run.h"
#include "packfs/pack_builder.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::TempDir;

constexpr std::string_view kErase = "\r\x1b[K";

/// Enough entries that every command looks at the clock often.
std::string large_pack(const TempDir& directory) {
  std::string path = directory.path("many.pack");
  const std::string content(3000, 'c');
  packfs::testing::build_pack(path, [&](packfs::PackBuilder& builder) {
    for (int i = 0; i < 3000; ++i) {
      packfs::testing::must(builder.add_file("f" + std::to_string(i), {}, packfs::testing::bytes_of(content)));
    }
  });
  return path;
}

void check_progress(const std::vector<std::string>& arguments, const std::string& begin) {
  const Outcome at_terminal = run_cli(arguments, {.err_is_terminal = true});
  CHECK(at_terminal.exit_code == 0);
  CHECK(at_terminal.err.starts_with(std::string(kErase) + begin));
  CHECK(at_terminal.err.ends_with(kErase));
  CHECK(at_terminal.err.find('\n') == std::string::npos);
}

TEST_CASE("progress is shown at a terminal and erased, elsewhere there is none", "[cli][terminal]") {
  const TempDir directory;
  const std::string pack = large_pack(directory);
  check_progress({"verify", pack}, "verify: ");
  check_progress({"unpack", pack, "-C", directory.path("a")}, "unpack: ");
  check_progress({"pack", directory.path("a"), "-o", directory.path("again.pack")}, "pack: ");
  const std::string store = directory.path("many.store");
  REQUIRE(run_cli({"init", store}).exit_code == 0);
  check_progress({"import", directory.path("a"), store}, "import: ");
  check_progress({"check", store}, "check: ");
  check_progress({"verify", store}, "verify: ");
  check_progress({"export", store, directory.path("c")}, "export: ");
  CHECK(run_cli({"check", store}).err.empty());
  CHECK(run_cli({"verify", pack}).err.empty());
  CHECK(run_cli({"unpack", pack, "-C", directory.path("b")}).err.empty());
  CHECK(run_cli({"pack", directory.path("b"), "-o", directory.path("once-more.pack")}).err.empty());
}

TEST_CASE("a pack is not written to a terminal", "[cli][terminal]") {
  const TempDir directory;
  const Outcome outcome = run_cli({"pack", directory.path(), "-o", "-"}, {.out_is_terminal = true});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "packfs: standard output is a terminal, a pack is not written there\n");
}

}  // namespace
