#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "support/packs.h"

// What takes long is given up when the command is stopped, not at its end.
namespace {

namespace fs = std::filesystem;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;
using packfs::testing::write_host_file;

constexpr int kFiles = 600;  // commands look some times within this many entries, and within this many bytes
constexpr std::size_t kBytes = 4U << 20;

struct Long : SampleStore {
  Long() {
    fs::create_directory(source);
    for (int i = 0; i < kFiles; ++i) write_host_file(source + "/" + std::to_string(i), {});
    write_host_file(source + "/large", packfs::testing::bytes_of(std::string(kBytes, 'x')));
    REQUIRE(run_cli({"import", source, path}).exit_code == 0);
    REQUIRE(run_cli({"pack", source, "-o", pack}).exit_code == 0);
  }
  std::string source = directory.path("source");
  std::string pack = directory.path("sample.pack");
  std::string out = directory.path("out");
};

TEST_CASE("a command that is stopped gives up on the way", "[cli][interrupted]") {
  const Long s;
  const std::atomic<bool> interrupted = true;
  const std::vector<std::vector<std::string>> lines{{"import", s.source, s.path, "x"},
                                                    {"export", s.path, s.out},
                                                    {"unpack", s.pack, "-C", s.out},
                                                    {"check", s.path},
                                                    {"verify", s.path},
                                                    {"verify", s.pack}};
  for (const std::vector<std::string>& line : lines) {
    INFO(line[0] << " " << line[1]);
    const Outcome stopped = run_cli(line, {.interrupted = &interrupted});
    CHECK(stopped.exit_code == 1);
    CHECK(stopped.out.empty());
    CHECK(stopped.err.ends_with(": Operation canceled\n"));
  }
  CHECK_FALSE(fs::exists(s.out + "/" + std::to_string(kFiles - 1)));
}

}  // namespace
