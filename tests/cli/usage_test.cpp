#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::FaultIo;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::run_cli_into;
using packfs::testing::SampleStore;
using packfs::testing::TempDir;

TEST_CASE("help and version go to standard output", "[cli][usage]") {
  const Outcome version = run_cli({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out == "packfs " PACKFS_VERSION "\n");
  CHECK(version.err.empty());
  const Outcome help = run_cli({"ls", "--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.starts_with("List names\n\nUsage: packfs ls [OPTIONS] PACK|STORE [PATH...]\n"));
  CHECK(help.err.empty());
}

TEST_CASE("wrong usage goes to standard error, with code 2", "[cli][usage]") {
  const Outcome outcome = run_cli({"cat", "only-a-pack"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "packfs: PATH is required\nTry 'packfs cat --help'.\n");
  CHECK(run_cli({}).exit_code == 2);
}

TEST_CASE("a full disk behind standard output fails the command", "[cli][usage]") {
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"ls", pack},
                                                    {"ls", "-lR", pack},
                                                    {"cat", pack, "su"},
                                                    {"stat", "--json", pack, "."},
                                                    {"info", pack},
                                                    {"verify", pack},
                                                    {"--help"}}) {
    const Outcome outcome = run_cli_into(full, arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "packfs: standard output: No space left on device\n");
  }
  const Outcome packed = run_cli_into(full, {"pack", directory.path(), "-o", "-"});
  CHECK(packed.exit_code == 1);
  CHECK(packed.err == "packfs: standard output: No space left on device\n");
  ::close(full);
}

TEST_CASE("a reader that went away ends the command quietly", "[cli][usage]") {
  std::signal(SIGPIPE, SIG_IGN);
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[0]);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"ls", pack}, {"cat", pack, "su"}, {"pack", directory.path(), "-o", "-"}}) {
    const Outcome outcome = run_cli_into(ends[1], arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.empty());
  }
  ::close(ends[1]);
}

TEST_CASE("standard error that cannot be written to changes nothing", "[cli][usage]") {
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  FaultIo io(packfs::base::system_io());
  io.fail({.call = "write"}, EIO);
  const Outcome outcome = run_cli({"ls", pack, "nope", "docs"}, {.io = &io});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.out == "docs/a.txt\ndocs/sub\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("an empty name of a host file is wrong usage", "[cli][usage]") {
  const SampleStore s;
  const std::vector<std::vector<std::string>> lines{{"init", ""},
                                                    {"ls", ""},
                                                    {"put", s.path, "x", ""},
                                                    {"import", "", s.path, "x"},
                                                    {"export", s.path, ""},
                                                    {"unpack", s.path, "-C", ""},
                                                    {"diff", s.path, ""},
                                                    {"pack", "", "-o", s.directory.path("x")},
                                                    {"pack", s.path, "-o", ""}};
  for (const std::vector<std::string>& line : lines) {
    INFO(line[0]);
    const Outcome outcome = run_cli(line);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.starts_with("packfs: the name of a file or directory is empty\n"));
  }
  CHECK(s.names().empty());
}

}  // namespace
