#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::odd_names;
using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::TempDir;

struct OddNames {
  OddNames() { packfs::testing::write_odd_names_pack(pack); }
  TempDir directory;
  std::string pack = directory.path("odd.pack");
};

TEST_CASE("names are printed as they are where no terminal shows them", "[cli][names]") {
  const OddNames o;
  std::string lines;
  std::string nul_ended;
  for (const std::string& name : odd_names()) {
    lines += name + "\n";
    nul_ended += name + '\0';
  }
  CHECK(run_cli({"ls", o.pack}).out == lines);
  CHECK(run_cli({"ls", "-0", o.pack}).out == nul_ended);
  CHECK(run_cli({"ls", "-0", o.pack}, {.out_is_terminal = true}).out == nul_ended);
}

TEST_CASE("names cannot drive a terminal", "[cli][names]") {
  const OddNames o;
  CHECK(run_cli({"ls", o.pack}, {.out_is_terminal = true}).out ==
        "\\x1b[31mred\n++\n-x\n[a]\nback\\\\slash\nb\\xff\nnew\\nline\nsp ace\n\\xc2\\x9bcsi\n\xc3\xbc\n");
  for (const std::string command : {"ls", "stat"}) {
    const Outcome shown = run_cli({command, o.pack, "\x1b[31mred"}, {.out_is_terminal = true});
    CHECK(shown.exit_code == 0);
    CHECK(shown.out.find("\\x1b[31mred") != std::string::npos);
    CHECK(shown.out.find('\x1b') == std::string::npos);
  }
  const Outcome missing = run_cli({"cat", o.pack, "\x1b]0;title\x07\n"});
  CHECK(missing.err == "packfs: \\x1b]0;title\\x07\\n: No such file or directory\n");
  const Outcome usage = run_cli({"\x1b[2J"});
  CHECK(usage.err == "packfs: unknown command \\x1b[2J\nTry 'packfs --help'.\n");
}

TEST_CASE("every name can be given back to the command", "[cli][names]") {
  const OddNames o;
  for (const std::string& name : odd_names()) {
    const Outcome outcome = run_cli({"cat", o.pack, "--", name});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == name);
    CHECK(run_cli({"ls", o.pack, "--", name}).out == name + "\n");
  }
  CHECK(run_cli({"cat", o.pack, "-x"}).exit_code == 2);
}

TEST_CASE("JSON gives names that are not UTF-8 in base64", "[cli][names][json]") {
  const OddNames o;
  std::istringstream lines(run_cli({"ls", "--json", o.pack}).out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto object = nlohmann::json::parse(line);
    const std::string& name = odd_names()[count];
    if (name == "b\xff") {
      CHECK_FALSE(object.contains("path"));
      CHECK(object["path_base64"] == "Yv8=");
    } else {
      CHECK_FALSE(object.contains("path_base64"));
      CHECK(object["path"] == name);
    }
  }
  CHECK(count == odd_names().size());
  const std::string text = run_cli({"ls", "--json", o.pack}).out;
  CHECK(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  CHECK(nlohmann::json::parse(run_cli({"cat", "--json", o.pack, "b\xff"}).out) ==
        nlohmann::json{{"path_base64", "Yv8="}, {"size", 2}, {"content_base64", "Yv8="}});
}

}  // namespace
