#pragma once

#include <string>

namespace packfs::house {

/// What a shell command did.
struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal, or not started
  std::string output;  ///< what it wrote to standard output
};

/// Runs `command` with sh(1) and waits for it.
[[nodiscard]] Outcome run_shell(const std::string& command);

}  // namespace packfs::house
