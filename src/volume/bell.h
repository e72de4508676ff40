#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace packfs::volume {

/// Wakes the one thread that sleeps on it. Ringing while that thread is awake costs a load.
class Bell {
 public:
  /// Sleeps until it is rung, or until `has_work` is true.
  template <class HasWork>
  void sleep(HasWork has_work) {
    std::unique_lock lock(mutex_);
    asleep_.store(true);
    // Sequentially consistent with ring(): either that sees asleep_, or this sees the work.
    rung_.wait(lock, [&] { return ended_ || !asleep_.load() || has_work(); });
    asleep_.store(false);
  }
  /// Sleeps so long, or until it is rung for good.
  void nap(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, time, [&] { return ended_; });
  }
  void ring() noexcept {
    if (!asleep_.load()) return;
    {
      const std::lock_guard lock(mutex_);
      asleep_.store(false);
    }
    rung_.notify_one();
  }
  /// Nobody is to sleep any more.
  void end() noexcept {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      asleep_.store(false);
    }
    rung_.notify_one();
  }
  [[nodiscard]] bool has_ended() noexcept {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::atomic<bool> asleep_{false};
  bool ended_ = false;  // under mutex_
};

}  // namespace packfs::volume
