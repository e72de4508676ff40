#pragma once

#include <atomic>
#include <chrono>

namespace packfs::cli {

/// Where a command reads and writes, and what it is writing to. Borrows the descriptors.
struct Streams {
  using Clock = std::chrono::steady_clock;

  int in = 0;  ///< read only by a command that is asked to
  int out = 1;
  int err = 2;
  bool out_is_terminal = false;  ///< names are then escaped, and a pack is not written there
  bool err_is_terminal = false;  ///< progress is then shown
  Clock::time_point (*now)() = Clock::now;
  const std::atomic<bool>* interrupted = nullptr;  ///< true: stop, and leave nothing half made; may be null
};

}  // namespace packfs::cli
