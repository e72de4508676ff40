#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "packfs/error.h"
#include "packfs/volume.h"
#include "volume/domain.h"
#include "volume/journal.h"

namespace packfs::volume {

/// Takes commits from the journal to the readers, in their order:
///  1. With the turn: the group is written, and its state held back (write()). The next writer goes on from there.
///  2. Without it: one of those who wait makes everything written so far durable, for all of them, and publishes the
///     newest state that covers (wait()).
/// A commit that need not be durable is published at 1, unless one before it is still held back: then it waits too.
///
/// A write that finds no room unwinds that commit alone. Any other failure of writing, and every failure of syncing,
/// poisons the journal for good: what was held back is dropped, and every later call says so; what readers see stays.
class Pipeline {
 public:
  Pipeline(Domain& domain, std::unique_ptr<Journal> journal, std::uint64_t last_commit) noexcept;

  [[nodiscard]] Journal& journal() noexcept { return *journal_; }
  /// Errors: as Journal::usable().
  [[nodiscard]] Result<void> check() const;
  /// With the turn: Journal::add(). Errors: poisoned; those of the journal.
  Result<void> add(tree::Operation& operation, const log::Setting& setting);
  /// With the turn: writes the open group and holds `root` back, which it made. When it fails, the state is dropped.
  /// Errors: poisoned; those of Journal::commit().
  Result<void> write(Root* root, std::uint64_t commit, Durability durability);
  /// Until readers see this commit. Errors: poisoned.
  Result<void> wait(std::uint64_t commit);
  /// Until all that was committed before is durable. Errors: poisoned.
  Result<void> sync();

 private:
  static constexpr int kMostYields = 4;

  Result<void> lead_until(const std::uint64_t& reached, std::uint64_t commit);
  void lead(std::unique_lock<std::mutex>& lock);
  void gather(std::uint64_t goal) const noexcept;
  void poison(const Error& error);

  Domain& domain_;
  std::unique_ptr<Journal> journal_;
  std::atomic<bool> poisoned_{false};
  mutable std::mutex mutex_;
  std::condition_variable led_;
  // Under the mutex:
  bool leading_ = false;
  std::uint64_t published_;
  std::uint64_t durable_;
  std::uint64_t led_along_ = 1;  // commits that the last sync made durable
  std::optional<Error> failed_;
  std::atomic<std::uint64_t> written_;  // the last whose state is published or held back; changed under the count lock
};

}  // namespace packfs::volume
