#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/cli_run.h"

namespace {

using packfs::testing::run_cli;

std::string man_page() {
  std::ifstream file(PACKFS_SOURCE_DIR "/docs/packfs.1");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::regex_replace(text, std::regex(R"(\\-)"), "-");
}

/// Every option that a --help shows at the start of a line: "  -o,--output OUT".
std::set<std::string> options_of(const std::string& help) {
  std::set<std::string> options;
  const std::regex line(R"((?:^|\n)  (?:(-\w),)?(--[\w-]+))");
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) {
    if ((*at)[1].matched) options.insert((*at)[1]);
    options.insert((*at)[2]);
  }
  return options;
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> names{"pack",   "unpack", "export", "ls",  "cat",    "stat",  "info",
                                              "verify", "diff",   "init",   "put", "import", "mkdir", "rm",
                                              "mv",     "cp",     "ln",     "log", "check",  "repair"};
  return names;
}

TEST_CASE("the man page has every option and every command", "[cli][man]") {
  const std::string page = man_page();
  REQUIRE_FALSE(page.empty());
  std::set<std::string> options = options_of(run_cli({"--help"}).out);
  for (const std::string& command : commands()) {
    options.merge(options_of(run_cli({command, "--help"}).out));
    CHECK(page.find("\n.TP\n.B " + command + "\n") != std::string::npos);
  }
  CHECK(options.contains("--privileged"));
  CHECK(options.contains("-0"));
  for (const std::string& option : options) {
    INFO(option);
    const std::regex mention("[\\s\"]" + option + "(?![\\w-])");
    CHECK(std::regex_search(page, mention));
  }
}

TEST_CASE("every long option in the man page is shown by some --help", "[cli][man]") {
  std::set<std::string> options = options_of(run_cli({"--help"}).out);
  for (const std::string& command : commands()) {
    options.merge(options_of(run_cli({command, "--help"}).out));
  }
  const std::string page = man_page();
  const std::regex long_option(R"(--[a-z][a-z-]*)");
  for (std::sregex_iterator at(page.begin(), page.end(), long_option), end; at != end; ++at) {
    INFO(at->str());
    CHECK(options.contains(at->str()));
  }
}

}  // namespace
