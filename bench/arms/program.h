#pragma once

#include <string>
#include <vector>

namespace packfs::bench {

/// A child process that ended.
struct Ended {
  double seconds = 0;          ///< from before posix_spawn to after wait
  long peak_memory_bytes = 0;  ///< its largest resident set
};

/// Runs a program, found in PATH when it has no slash, to its end; ends this one when that fails. Its output goes to
/// `output`, a file that is overwritten.
Ended run_program(const std::vector<std::string>& command, const std::string& output = "/dev/null");

/// Whether PATH has such a program.
bool has_program(const std::string& name);

}  // namespace packfs::bench
