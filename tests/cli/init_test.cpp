#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_store.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;
using packfs::testing::TempDir;
using packfs::testing::write_host_file;

TEST_CASE("init makes an empty store, in a new directory or an empty one", "[cli][init]") {
  const TempDir directory;
  const std::string store = directory.path("store");
  if (GENERATE(false, true)) fs::create_directory(store);
  const Outcome made = run_cli({"init", store});
  CHECK(made.exit_code == 0);
  CHECK(made.out.empty());
  CHECK(made.err.empty());
  CHECK(run_cli({"ls", store}).exit_code == 0);
  CHECK(run_cli({"ls", store}).out.empty());
  CHECK(run_cli({"check", store}).exit_code == 0);
}

TEST_CASE("init leaves a store alone that is there, damaged or not", "[cli][init]") {
  const SampleStore s;
  s.put("kept", "kept");
  const Outcome again = s.run({"init"});
  CHECK(again.exit_code == 1);
  CHECK(again.err == "packfs: " + s.path + ": File exists (a store is there)\n");
  CHECK(s.cat("kept") == "kept");
  const auto manifest = packfs::testing::read_host_file(s.path + "/CURRENT");
  write_host_file(s.path + "/CURRENT", bytes_of("damaged"));
  CHECK(s.run({"init"}).err == again.err);
  write_host_file(s.path + "/CURRENT", manifest);
  CHECK(s.cat("kept") == "kept");
}

TEST_CASE("init refuses what is no place for a store, and changes nothing", "[cli][init]") {
  const TempDir directory;
  const std::string full = directory.path("full");
  fs::create_directory(full);
  write_host_file(full + "/mine", bytes_of("mine"));
  const Outcome in_full = run_cli({"init", full});
  CHECK(in_full.exit_code == 1);
  CHECK(in_full.err == "packfs: " + full + ": Directory not empty (a store is made in an empty directory only)\n");
  CHECK(std::distance(fs::directory_iterator(full), {}) == 1);

  const Outcome on_file = run_cli({"init", full + "/mine"});
  CHECK(on_file.exit_code == 1);
  CHECK(on_file.err == "packfs: " + full + "/mine: Not a directory (a store is a directory)\n");
  const Outcome without_parent = run_cli({"init", directory.path("no/where")});
  CHECK(without_parent.exit_code == 1);
  CHECK(without_parent.err == "packfs: " + directory.path("no/where") + ": No such file or directory\n");
  CHECK_FALSE(fs::exists(directory.path("no")));
}

TEST_CASE("init --json names the store and the commit it begins with", "[cli][init][json]") {
  const TempDir directory;
  const std::string store = directory.path("store");
  CHECK(nlohmann::json::parse(run_cli({"init", "--json", store}).out) ==
        nlohmann::json{{"path", store}, {"commit", 0}, {"failed", nlohmann::json::array()}});
}

}  // namespace
