#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"

namespace packfs::testing {

/// What a run of the command gave.
struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// How to run it.
struct RunOptions {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  base::Io* io = &base::system_io();
  const std::atomic<bool>* interrupted = nullptr;
  std::string in = {};     ///< what standard input holds
  int in_descriptor = -1;  ///< standard input in its place, when not -1
};

/// Runs `packfs ARGUMENTS...` in this process, its output caught in memory. The command's clock goes on by 50 ms each
/// time it looks.
Outcome run_cli(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// As run_cli(), with standard output going to `descriptor` (Outcome::out stays empty).
Outcome run_cli_into(int descriptor, const std::vector<std::string>& arguments, const RunOptions& options = {});

/// The clock that run_cli() gives, for tests of what uses it.
std::chrono::steady_clock::time_point stepping_clock();

/// A file in memory to write into and read back.
class Catcher {
 public:
  Catcher();
  Catcher(const Catcher&) = delete;
  Catcher& operator=(const Catcher&) = delete;
  ~Catcher();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// All that was written.
  [[nodiscard]] std::string text() const;
  /// Makes this all that is in it, to be read from its beginning.
  void hold(std::string_view text) const;

 private:
  int descriptor_;
};

}  // namespace packfs::testing
