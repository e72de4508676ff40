#pragma once

namespace packfs::cli {

enum class ExitCode : int { done = 0, failed = 1, usage = 2, partial = 3 };

/// Counts what a command that goes on after a failure did and did not do.
class Tally {
 public:
  void done() noexcept { any_done_ = true; }
  void failed() noexcept { any_failed_ = true; }
  [[nodiscard]] bool any_done() const noexcept { return any_done_; }
  [[nodiscard]] ExitCode exit_code() const noexcept {
    if (!any_failed_) return ExitCode::done;
    return any_done_ ? ExitCode::partial : ExitCode::failed;
  }

 private:
  bool any_done_ = false;
  bool any_failed_ = false;
};

}  // namespace packfs::cli
