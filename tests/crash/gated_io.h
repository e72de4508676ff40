#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "support/fault_io.h"

namespace packfs::testing {

/// Lets one fdatasync wait, before the disk has heard of it or after it is done, until others have written. Threads:
/// any, all at once.
class GatedIo final : public FaultIo {
 public:
  using FaultIo::FaultIo;

  /// The next fdatasync waits until `opens` says so.
  void gate(bool is_before, std::function<bool()> opens) {
    opens_ = std::move(opens);
    is_before_ = is_before;
    is_set_ = true;
  }

  /// None waits, if none has come yet.
  void open_gate() { is_set_ = false; }

  int fdatasync(int fd) override {
    if (!is_set_.exchange(false)) return FaultIo::fdatasync(fd);
    if (is_before_) wait();
    const int done = FaultIo::fdatasync(fd);
    if (!is_before_) wait();
    return done;
  }

 private:
  void wait() const {
    while (!opens_()) std::this_thread::yield();
  }

  std::atomic<bool> is_set_{false};
  bool is_before_ = false;
  std::function<bool()> opens_;
};

}  // namespace packfs::testing
