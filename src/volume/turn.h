#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "packfs/error.h"

namespace packfs::volume {

/// Who may write: one at a time, from the begin of a transaction to its end. Not tied to a thread, since a transaction
/// may move; but which thread used it last is known, so that it can be told that it waits for itself. Entering and
/// leaving without a crowd makes no system call.
class TurnGate {
 public:
  /// Errors: busy (this thread holds the turn).
  Result<void> enter() {
    if (is_mine()) [[unlikely]] {
      return std::unexpected(Error(ErrorCode::busy));
    }
    if (!take()) {
      const Waiting waiting(*this);
      std::unique_lock lock(mutex_);
      left_.wait(lock, [this] { return take(); });
    }
    claim();
    return {};
  }
  /// Errors: busy (held by anyone).
  Result<void> try_enter() {
    if (is_mine() || !take()) return std::unexpected(Error(ErrorCode::busy));
    claim();
    return {};
  }
  /// Errors: busy (this thread holds it); from_errno(ETIMEDOUT).
  Result<void> enter_within(std::chrono::nanoseconds timeout) {
    if (is_mine()) return std::unexpected(Error(ErrorCode::busy));
    if (!take()) {
      const Waiting waiting(*this);
      std::unique_lock lock(mutex_);
      if (!left_.wait_for(lock, timeout, [this] { return take(); })) {
        return std::unexpected(Error::from_errno(ETIMEDOUT));
      }
    }
    claim();
    return {};
  }
  void leave() noexcept {
    holder_.store(0, std::memory_order_relaxed);
    // Sequentially consistent with Waiting: either this sees who waits, or that one sees that the turn is free.
    taken_.store(false);
    if (waiting_.load() == 0) return;
    {
      const std::lock_guard lock(mutex_);
    }
    left_.notify_one();
  }
  /// The holder now works on this thread.
  void claim() noexcept { holder_.store(thread_token(), std::memory_order_relaxed); }
  [[nodiscard]] bool is_mine() const noexcept { return holder_.load(std::memory_order_relaxed) == thread_token(); }

 private:
  struct Waiting {
    explicit Waiting(TurnGate& gate) noexcept : gate_(gate) { gate_.waiting_.fetch_add(1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { gate_.waiting_.fetch_sub(1); }
    TurnGate& gate_;
  };

  bool take() noexcept { return !taken_.exchange(true); }

  static std::uintptr_t thread_token() noexcept {
    static thread_local char token;
    return reinterpret_cast<std::uintptr_t>(&token);
  }

  std::atomic<bool> taken_{false};
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uintptr_t> holder_{0};  // 0: nobody, or one whose thread is not known
  std::mutex mutex_;
  std::condition_variable left_;
};

}  // namespace packfs::volume
