#pragma once

#include <string>
#include <vector>

#include "cli/cli_run.h"
#include "support/temp_dir.h"

namespace packfs::testing {

/// A directory of the test's own with an empty store in it.
class SampleStore {
 public:
  SampleStore();

  /// Runs `packfs COMMAND [OPTIONS] STORE NAMES...`: the store's path is put in behind the options.
  Outcome run(std::vector<std::string> arguments, const RunOptions& options = {}) const;
  /// The same, for what must go well without a word.
  void must(std::vector<std::string> arguments, const RunOptions& options = {}) const;
  /// `put` of a file that holds `content`.
  void put(const std::string& file, const std::string& content) const;
  /// What `cat` gives; "(error) " and its message when that fails.
  [[nodiscard]] std::string cat(const std::string& file) const;
  /// What `ls -R` gives.
  [[nodiscard]] std::string names() const;

  TempDir directory;
  std::string path = directory.path("sample.store");
};

/// The value behind `label` in what `stat` gave.
[[nodiscard]] std::string stat_field(const Outcome& outcome, const std::string& label);

}  // namespace packfs::testing
