#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"
#include "support/packs.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::bytes_of;
using packfs::testing::kPlain;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::SampleStore;

/// A store, and a copy of it as it was before it was changed.
struct Changed : SampleStore {
  Changed() {
    put("docs/kept", "kept");
    put("docs/changed", "before");
    put("gone", "gone");
    put("new\nline", "x");
    fs::copy(path, before);
    put("docs/changed", "after");
    put("docs/added", "x");
    must({"rm", "gone"});
    must({"mv", "new\nline", "moved"});
  }
  std::string before = directory.path("before.store");
};

TEST_CASE("diff lists what differs between two states of a store", "[cli][diff]") {
  const Changed s;
  const Outcome diff = run_cli({"diff", s.before, s.path});
  CHECK(diff.exit_code == 0);
  CHECK(diff.err.empty());
  CHECK(diff.out == "M .\nM docs\nA docs/added\nM docs/changed\nD gone\nR new\nline -> moved\n");
  CHECK(run_cli({"diff", s.before, s.path}, {.out_is_terminal = true}).out ==
        "M .\nM docs\nA docs/added\nM docs/changed\nD gone\nR new\\nline -> moved\n");
  using namespace std::string_literals;
  CHECK(run_cli({"diff", "-0", s.before, s.path}).out ==
        "M .\0M docs\0A docs/added\0M docs/changed\0D gone\0R new\nline\0moved\0"s);
  const Outcome same = run_cli({"diff", s.path, s.path});
  CHECK(same.exit_code == 0);
  CHECK(same.out.empty());
}

TEST_CASE("diff --json gives one object for each change", "[cli][diff][json]") {
  const Changed s;
  std::istringstream lines(run_cli({"diff", "--json", s.before, s.path}).out);
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  REQUIRE(objects.size() == 6);
  CHECK(objects[0] == nlohmann::json{{"change", "changed"}, {"path", "."}});
  CHECK(objects[2] == nlohmann::json{{"change", "added"}, {"path", "docs/added"}});
  CHECK(objects[4] == nlohmann::json{{"change", "removed"}, {"path", "gone"}});
  CHECK(objects[5] == nlohmann::json{{"change", "renamed"}, {"path", "moved"}, {"from", "new\nline"}});
}

TEST_CASE("diff compares packs, and a pack with a store, by their paths", "[cli][diff]") {
  const packfs::testing::TempDir directory;
  const std::string first = directory.path("first.pack");
  const std::string second = directory.path("second.pack");
  const auto build = [](const std::string& path, const std::vector<std::string>& names) {
    packfs::testing::build_pack(path, [&](packfs::PackBuilder& builder) {
      for (const std::string& name : names) {
        packfs::testing::must(builder.add_file(name, kPlain, bytes_of(name)));
      }
    });
  };
  build(first, {"b", "c", "d"});
  build(second, {"a", "b", "d"});
  CHECK(run_cli({"diff", first, second}).out == "A a\nD c\n");
  CHECK(run_cli({"diff", "--read-mode=pread", second, first}).out == "D a\nA c\n");
  const SampleStore s;
  s.put("b", "b");
  CHECK(run_cli({"diff", first, s.path}).out == "M .\nM b\nD c\nD d\n");
  CHECK(run_cli({"diff", s.path, first}).out == "M .\nM b\nA c\nA d\n");
}

TEST_CASE("diff names the side it cannot read", "[cli][diff]") {
  const packfs::testing::Sample s;
  const std::string nope = s.directory.path("nope");
  for (const auto& [a, b] : {std::pair{s.pack, nope}, std::pair{nope, s.pack}}) {
    const Outcome diff = run_cli({"diff", a, b});
    CHECK(diff.exit_code == 1);
    CHECK(diff.out.empty());
    CHECK(diff.err == "packfs: " + nope + ": No such file or directory\n");
  }
  const std::string other = s.directory.path("other.pack");
  fs::copy(s.pack, other);
  packfs::testing::damage_last(other, "hello\n");
  // Packs of one id are one: it takes another to look into the contents.
  const SampleStore store;
  store.put("docs/a.txt", "hello!");
  CHECK(run_cli({"diff", s.pack, s.pack}).out.empty());
  CHECK(run_cli({"diff", s.pack}).exit_code == 2);
  CHECK(run_cli({"diff", s.pack, s.pack, s.pack}).exit_code == 2);
}

}  // namespace
