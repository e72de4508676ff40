#pragma once

#include <cstdint>
#include <memory>

#include "packfs/volume.h"
#include "tree/edit.h"
#include "volume/domain.h"
#include "volume/reclaimer.h"
#include "volume/turn.h"

namespace packfs::volume {

/// One volume: its states, the turn to write, and what counts up from write to write. Held by all Volume handles and
/// by the open transaction.
class Core {
 public:
  /// Errors: no_memory; the lower's. Throws std::bad_alloc.
  static Result<std::shared_ptr<Core>> make(Ref<const tree::Table> lower, const VolumeOptions& options);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  [[nodiscard]] Domain& domain() noexcept { return *domain_; }
  [[nodiscard]] TurnGate& turn() noexcept { return turn_; }
  [[nodiscard]] Reclaimer& reclaimer() noexcept { return *reclaimer_; }
  [[nodiscard]] const Ref<const tree::Table>& lower() const noexcept { return lower_; }

  /// One call as a transaction of its own. Errors: busy; the call's.
  Result<void> apply(Result<void> (*call)(tree::Edit&, const void*), const void* arguments);

  // With the turn, under the count lock:
  /// Of a transaction that begins; its number is used up, whether it commits or not.
  [[nodiscard]] tree::Stamp next_stamp() noexcept;
  /// The newest state, shared.
  [[nodiscard]] tree::State share_newest() noexcept;
  /// Makes the state the newest; takes over its references. Memory was reserved.
  void publish(const tree::State& state, std::uint64_t commit) noexcept;
  [[nodiscard]] tree::NextNumbers& numbers() noexcept { return numbers_; }

  /// Before an edit: memory for the state that comes of it, a slice of freeing. Errors: no_memory.
  Result<void> begin_edit() noexcept;
  /// Without the count lock: frees parts while the domain owes it.
  void pay() noexcept;
  /// Without the count lock: pays, and waits for readers when enough is retired that its memory should come back.
  void after_commit() noexcept;

  static Time now() noexcept;

 private:
  Core(Ref<const tree::Table> lower, const VolumeOptions& options, std::uint64_t seed);

  std::unique_ptr<Domain> domain_;
  Ref<const tree::Table> lower_;
  TurnGate turn_;
  std::uint32_t uid_;
  std::uint32_t gid_;
  int made_by_;  // the process
  tree::NextNumbers numbers_;
  std::uint64_t last_commit_ = 0;  // given to a transaction
  std::unique_ptr<Reclaimer> reclaimer_;
};

}  // namespace packfs::volume
