#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "packfs/volume.h"
#include "tree/operation.h"
#include "volume/domain.h"
#include "volume/follower.h"
#include "volume/pipeline.h"
#include "volume/reclaimer.h"
#include "volume/turn.h"

namespace packfs::volume {

/// One volume: its states, the turn to write, and what counts up from write to write. Held by all Volume handles and
/// by the open transaction.
class Core {
 public:
  /// `root` stamps the root directory, if there is no lower. Errors: no_memory; the lower's. Throws std::bad_alloc.
  static Result<std::shared_ptr<Core>> make(Ref<const tree::Table> lower, const VolumeOptions& options,
                                            const tree::Stamp& root);
  static tree::Stamp first_stamp(const VolumeOptions& options) noexcept;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  [[nodiscard]] Domain& domain() noexcept { return *domain_; }
  [[nodiscard]] TurnGate& turn() noexcept { return turn_; }
  [[nodiscard]] Reclaimer& reclaimer() noexcept { return *reclaimer_; }
  [[nodiscard]] const Ref<const tree::Table>& lower() const noexcept { return lower_; }

  /// One call as a transaction of its own. Errors: busy; the call's; Pipeline's.
  Result<void> apply(const tree::Operation& operation, Durability durability);
  /// What is committed from now on goes through the journal. Before the first commit. Throws std::bad_alloc.
  void attach(std::unique_ptr<Journal> journal);
  /// Commits come from another process from now on; writing fails (read_only).
  void attach(std::unique_ptr<Follower> follower) noexcept { follower_ = std::move(follower); }
  /// Follower::follow(); false of any other volume. Errors: busy (this is a forked child); the follower's.
  Result<bool> refresh();
  /// Before the turn is asked for. Errors: read_only; busy (a store, and this is a forked child: who has the turn may
  /// not be here to give it up).
  [[nodiscard]] Result<void> may_write() const noexcept;
  /// Null of a volume in memory.
  [[nodiscard]] Pipeline* pipeline() noexcept { return pipeline_.get(); }

  // With the turn, under the count lock:
  /// Of a transaction that begins; its number is used up, whether it commits or not.
  [[nodiscard]] tree::Stamp next_stamp() noexcept;
  /// The newest state, shared.
  [[nodiscard]] tree::State share_newest() noexcept;
  [[nodiscard]] Root* make_root(const tree::State& state, std::uint64_t commit) noexcept {
    return domain_->make_root(lower_, state, commit);
  }
  /// Makes the state the newest; takes over its references. Memory was reserved.
  void publish(const tree::State& state, std::uint64_t commit) noexcept;
  [[nodiscard]] tree::NextNumbers& numbers() noexcept { return numbers_; }
  /// The number of the last transaction that began.
  void set_last_commit(std::uint64_t commit) noexcept { last_commit_ = commit; }

  /// Before an edit: memory for the state that comes of it, a slice of freeing. Errors: no_memory.
  Result<void> begin_edit() noexcept;
  /// Without the count lock: frees parts while the domain owes it.
  void pay() noexcept;
  /// Without the count lock: pays, and waits for readers when enough is retired that its memory should come back.
  void after_commit() noexcept;

  static Time now() noexcept;

 private:
  Core(Ref<const tree::Table> lower, std::uint32_t uid, std::uint32_t gid, std::uint64_t seed);
  Result<Root*> edited(const tree::Operation& operation, const tree::Stamp& stamp);
  Result<void> journaled(tree::Operation operation, Durability durability);

  std::unique_ptr<Domain> domain_;
  Ref<const tree::Table> lower_;
  TurnGate turn_;
  std::uint32_t uid_;
  std::uint32_t gid_;
  tree::NextNumbers numbers_;
  std::uint64_t last_commit_ = 0;  // given to a transaction
  std::unique_ptr<Reclaimer> reclaimer_;
  std::unique_ptr<Pipeline> pipeline_;
  std::mutex following_;
  std::unique_ptr<Follower> follower_;
};

}  // namespace packfs::volume
