#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace packfs::kill {

/// A run of the victim. Killed, and waited for, when this goes.
class Process {
 public:
  /// Standard input is a pipe that end_input() closes; standard output goes to `output`. Throws std::runtime_error.
  Process(const std::vector<std::string>& arguments, const std::string& output);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Whether it has ended by itself; does not wait.
  [[nodiscard]] bool has_ended();
  /// SIGKILL, and waits. True when that is what ended it.
  bool kill();
  void end_input();
  /// Waits; the exit code, or nothing when a signal ended it.
  std::optional<int> wait();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  bool is_over_ = false;
  int status_ = 0;
};

}  // namespace packfs::kill
