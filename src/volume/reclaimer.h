#pragma once

#include <thread>

#include "base/fork_watch.h"
#include "volume/domain.h"

namespace packfs::volume {

/// The thread that frees what a writer left when it stopped. A writer at work frees its own past, whose memory is in
/// its cache, and waits for readers once in some hundred commits: a grace period that another thread waits for
/// interrupts the writer's processor each time (membarrier(2)). It sleeps while nothing
/// is to be freed; whoever leaves something rings Domain::bell().
class Reclaimer final : private base::ForkWatch {
 public:
  /// Borrows the domain. Throws std::system_error when there can be no thread.
  explicit Reclaimer(Domain& domain);
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;
  ~Reclaimer() override;

  /// Whether this is a forked child's copy, whose thread is not there.
  [[nodiscard]] bool is_in_forked_child() const noexcept { return is_forked(); }
  /// Returns when nothing that was retired or dead at the call is left. Does the work on the calling thread.
  void drain() noexcept;

 private:
  void in_child() noexcept override {}
  void run() noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  void collect_all() noexcept;

  Domain& domain_;
  std::thread thread_;
};

}  // namespace packfs::volume
