#include "cli/sample_store.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace packfs::testing {

SampleStore::SampleStore() { must({"init"}); }

Outcome SampleStore::run(std::vector<std::string> arguments, const RunOptions& options) const {
  const auto is_option = [](const std::string& argument) { return argument.size() > 1 && argument.starts_with('-'); };
  const auto first_name = std::find_if_not(arguments.begin() + 1, arguments.end(), is_option);
  arguments.insert(first_name, path);
  return run_cli(arguments, options);
}

void SampleStore::must(std::vector<std::string> arguments, const RunOptions& options) const {
  const std::string command = arguments.front();
  const Outcome outcome = run(std::move(arguments), options);
  if (outcome.exit_code != 0 || !outcome.err.empty()) throw std::runtime_error(command + ": " + outcome.err);
}

void SampleStore::put(const std::string& file, const std::string& content) const {
  must({"put", file}, {.in = content});
}

std::string SampleStore::cat(const std::string& file) const {
  const Outcome outcome = run({"cat", file});
  return outcome.exit_code == 0 ? outcome.out : "(error) " + outcome.err;
}

std::string SampleStore::names() const { return run({"ls", "-R"}).out; }

std::string stat_field(const Outcome& outcome, const std::string& label) {
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(label + " ")) return line.substr(line.find_first_not_of(' ', label.size()));
  }
  return "(none)";
}

}  // namespace packfs::testing
