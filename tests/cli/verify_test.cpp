#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::Sample;

TEST_CASE("verify of a whole pack is one line", "[cli][verify]") {
  const Sample s;
  const Outcome outcome = run_cli({"verify", s.pack});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(std::regex_match(
      outcome.out, std::regex("/.*sample\\.pack: whole, checked [1-9]\\d* records, 13 entries, [1-9]\\d* bytes\n")));
  const auto object = nlohmann::json::parse(run_cli({"verify", "--json", s.pack}).out);
  CHECK(object["whole"] == true);
  CHECK(object["damages"] == 0);
  CHECK(object["damage"] == nlohmann::json::array());
  CHECK(object["entries_checked"] == 13);
}

TEST_CASE("verify names each damage", "[cli][verify][damage]") {
  const Sample s;
  packfs::testing::damage_last(s.pack, "hello\n");
  const Outcome outcome = run_cli({"verify", s.pack});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("corrupt at offset ") < outcome.out.find('\n'));
  CHECK(outcome.out.find("\n" + s.pack + ": damaged (") != std::string::npos);

  const Outcome json = run_cli({"verify", "--json", s.pack});
  CHECK(json.exit_code == 1);
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object["whole"] == false);
  REQUIRE(object["damages"] == object["damage"].size());
  CHECK(object["damage"][0]["offset"].is_number());
  CHECK(outcome.out.starts_with(object["damage"][0]["message"].get<std::string>() + "\n"));
}

}  // namespace
