#pragma once

#include <cstdint>

#include "packfs/ref.h"
#include "tree/state.h"

namespace packfs::volume {

class Domain;

/// One committed state of a volume. Counted atomically: by the publication while it is the newest and until no reader
/// can be about to count it, and by all who hold a snapshot. Lies in its domain's heap.
class Root final : public tree::StateTable {
 public:
  /// Takes over the references of `state`.
  Root(Domain& domain, Ref<const tree::Table> lower, const tree::State& state, std::uint64_t commit) noexcept;

  [[nodiscard]] std::uint64_t commit() const noexcept { return commit_; }

 private:
  friend class Domain;
  void unreferenced() const noexcept override;

  Domain& domain_;
  std::uint64_t commit_;
  std::int64_t made_ns_;
  // Under the count lock:
  Root* older_ = nullptr;  // all that are alive, in the order of their commits
  Root* newer_ = nullptr;
  bool published_ = false;        // the publication holds a reference
  std::uint64_t retired_at_ = 0;  // the grace period that had begun last when it was replaced
  Root* next_retired_ = nullptr;
  mutable Root* next_dead_ = nullptr;  // of the lock-free list of those nobody holds
};

}  // namespace packfs::volume
