#pragma once

#include <atomic>

namespace packfs::base {

/// Base of what a forked child has a copy of but must not go on with: a lock that it would keep from its parent, a
/// thread that is not there. Threads: any.
class ForkWatch {
 public:
  ForkWatch(const ForkWatch&) = delete;
  ForkWatch& operator=(const ForkWatch&) = delete;

  /// Whether this process is a child of the one that made this.
  [[nodiscard]] bool is_forked() const noexcept { return is_forked_.load(std::memory_order_relaxed); }

 protected:
  ForkWatch();
  virtual ~ForkWatch();

 private:
  /// In the child, before fork() returns there, once.
  virtual void in_child() noexcept = 0;
  struct Registry;
  static void mark_all() noexcept;

  std::atomic<bool> is_forked_{false};
  ForkWatch* next_ = nullptr;  // under the registry's mutex
  ForkWatch* previous_ = nullptr;
};

}  // namespace packfs::base
