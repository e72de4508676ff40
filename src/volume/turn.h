#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "packfs/error.h"

namespace packfs::volume {

/// Who may write: one at a time, from the begin of a transaction to its end. Not tied to a thread, since a transaction
/// may move; but which thread used it last is known, so that it can be told that it waits for itself.
///
/// Entering and leaving without a crowd makes no system call. In a crowd whoever runs may take a free turn before those
/// that sleep: the tree's newest parts are in its processor's cache, and fetching them into another's with each commit
/// costs more than the commit. So sleepers are woken now and then only; one that this has kept for kPatience ends it:
/// until it has had its turn, newcomers queue up behind it.
class TurnGate {
 public:
  /// Errors: busy (this thread holds the turn).
  Result<void> enter() {
    if (is_mine()) [[unlikely]] {
      return std::unexpected(Error(ErrorCode::busy));
    }
    if (!take_if_nobody_is_kept()) {
      static_cast<void>(queue(Clock::time_point::max()));
    }
    claim();
    return {};
  }
  /// Errors: busy (held by anyone).
  Result<void> try_enter() {
    if (is_mine() || !take_if_nobody_is_kept()) return std::unexpected(Error(ErrorCode::busy));
    claim();
    return {};
  }
  /// Errors: busy (this thread holds it); from_errno(ETIMEDOUT).
  Result<void> enter_within(std::chrono::nanoseconds timeout) {
    if (is_mine()) return std::unexpected(Error(ErrorCode::busy));
    if (!take_if_nobody_is_kept()) {
      const Clock::time_point now = Clock::now();
      const Clock::time_point end = timeout < Clock::time_point::max() - now ? now + timeout : Clock::time_point::max();
      if (!queue(end)) return std::unexpected(Error::from_errno(ETIMEDOUT));
    }
    claim();
    return {};
  }
  /// `to_sleep`: whoever leaves will not run on.
  void leave(bool to_sleep = false) noexcept {
    holder_.store(0, std::memory_order_relaxed);
    // Sequentially consistent with Waiting and Kept: either this sees who waits, or that one sees that the turn is
    // free.
    taken_.store(false);
    if (waiting_.load() == 0) return;
    if (!to_sleep && kept_.load() == 0) {
      const Clock::duration now = Clock::now().time_since_epoch();
      if (now - woken_at_.load(std::memory_order_relaxed) < kBetweenWakings) return;
      woken_at_.store(now, std::memory_order_relaxed);
    }
    {
      const std::lock_guard lock(mutex_);
    }
    left_.notify_one();
  }
  /// The holder now works on this thread.
  void claim() noexcept { holder_.store(thread_token(), std::memory_order_relaxed); }
  [[nodiscard]] bool is_mine() const noexcept { return holder_.load(std::memory_order_relaxed) == thread_token(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Waiting {
    explicit Waiting(TurnGate& gate) noexcept : gate_(gate) { gate_.waiting_.fetch_add(1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { gate_.waiting_.fetch_sub(1); }
    TurnGate& gate_;
  };

  static constexpr std::chrono::microseconds kBetweenWakings{1000};
  static constexpr std::chrono::milliseconds kPatience{4};

  bool take() noexcept { return !taken_.exchange(true); }
  bool take_if_nobody_is_kept() noexcept { return kept_.load(std::memory_order_relaxed) == 0 && take(); }
  /// Waits for the turn. False: the turn was not had in time.
  bool queue(Clock::time_point end) {
    const auto begin = Clock::now();
    const Waiting waiting(*this);
    std::unique_lock lock(mutex_);
    if (take_if_nobody_is_kept()) return true;
    std::optional<Kept> kept;
    for (;;) {
      // Perhaps nobody wakes it before it is kept; from then on all who leave do.
      const Clock::time_point now = Clock::now();
      if (now >= end) return false;
      if (kept) {
        wait_until(lock, end);
      } else if (now - begin < kPatience) {
        wait_until(lock, std::min(end, begin + kPatience));
      } else {
        kept.emplace(*this);
      }
      if (take()) return true;
    }
  }
  void wait_until(std::unique_lock<std::mutex>& lock, Clock::time_point end) {
    if (end == Clock::time_point::max()) return left_.wait(lock);  // past what the clock's own arithmetic bears
    left_.wait_until(lock, end);
  }

  /// Never given twice: an address would be the next thread's, once this one has ended.
  static std::uint64_t thread_token() noexcept {
    static std::atomic<std::uint64_t> given{0};
    static constinit thread_local std::uint64_t token = 0;
    if (token == 0) [[unlikely]] {
      token = given.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    return token;
  }

  /// A waiter that is not to be passed over again.
  struct Kept {
    explicit Kept(TurnGate& gate) noexcept : gate_(gate) { gate_.kept_.fetch_add(1); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { gate_.kept_.fetch_sub(1); }
    TurnGate& gate_;
  };

  std::atomic<bool> taken_{false};
  std::atomic<Clock::duration> woken_at_{Clock::duration::zero()};
  std::atomic<std::uint32_t> kept_{0};
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint64_t> holder_{0};  // 0: nobody, or one whose thread is not known
  std::mutex mutex_;
  std::condition_variable left_;
};

}  // namespace packfs::volume
