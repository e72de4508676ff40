#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::Sample;
using packfs::testing::TempDir;

TEST_CASE("cat writes contents one after another", "[cli][cat]") {
  const Sample s;
  const Outcome one = run_cli({"cat", s.pack, "docs/a.txt"});
  CHECK(one.exit_code == 0);
  CHECK(one.out == "hello\n");
  CHECK(one.err.empty());
  CHECK(run_cli({"cat", "--read-mode=pread", s.pack, "hard2", "link", "/docs//sub/deep"}).out == "linkedhello\ndeep");
  using namespace std::string_literals;
  CHECK(run_cli({"cat", "-0", s.pack, "hard2", "su"}).out == "linked\0#!\n\0"s);
}

TEST_CASE("cat of a large file is the file", "[cli][cat]") {
  const TempDir directory;
  const std::string pack = directory.path("large.pack");
  std::string content(3000001, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 251);
  packfs::testing::build_pack(pack, [&](packfs::PackBuilder& builder) {
    packfs::testing::must(builder.add_file("large", {}, packfs::testing::bytes_of(content)));
  });
  CHECK(run_cli({"cat", pack, "large"}).out == content);
  const auto object = nlohmann::json::parse(run_cli({"cat", "--json", pack, "large"}).out);
  CHECK(object["size"] == content.size());
  CHECK(object["content_base64"].get<std::string>().size() == (content.size() + 2) / 3 * 4);
}

TEST_CASE("cat names what it cannot write, and goes on", "[cli][cat]") {
  const Sample s;
  const Outcome some = run_cli({"cat", s.pack, "docs", "hard1", "nope", "pipe"});
  CHECK(some.exit_code == 3);
  CHECK(some.out == "linked");
  CHECK(some.err ==
        "packfs: docs: Is a directory\npackfs: nope: No such file or directory\npackfs: pipe: Invalid argument\n");
  CHECK(run_cli({"cat", s.pack, "nope", "dangling"}).exit_code == 1);
}

TEST_CASE("cat --json gives contents in base64", "[cli][cat][json]") {
  const Sample s;
  const Outcome outcome = run_cli({"cat", "--json", s.pack, "docs/a.txt", "nope", "hard1"});
  CHECK(outcome.exit_code == 3);
  std::istringstream lines(outcome.out);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line) ==
        nlohmann::json{{"path", "docs/a.txt"}, {"size", 6}, {"content_base64", "aGVsbG8K"}});
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line)["content_base64"] == "bGlua2Vk");
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("damaged content is not written", "[cli][cat][damage]") {
  const Sample s;
  packfs::testing::damage_last(s.pack, "hello\n");
  const Outcome some = run_cli({"cat", s.pack, "docs/a.txt", "hard1"});
  CHECK(some.exit_code == 3);
  CHECK(some.out == "linked");
  CHECK(some.err.starts_with("packfs: docs/a.txt: " + s.pack + ": corrupt at offset "));
  CHECK(run_cli({"cat", s.pack, "docs/a.txt"}).exit_code == 1);
  const Outcome json = run_cli({"cat", "--json", s.pack, "docs/a.txt"});
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object["content_base64"] == "");
  CHECK("packfs: " + object["error"].get<std::string>() + "\n" == json.err);
}

}  // namespace
