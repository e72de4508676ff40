#pragma once

#include <memory>
#include <mutex>

#include "volume/core.h"

namespace packfs::volume {

/// An open transaction: it holds the turn from its making to its end.
class OpenTurn {
 public:
  /// The caller has entered the gate. Errors: no_memory. Throws std::bad_alloc.
  explicit OpenTurn(std::shared_ptr<Core> core);
  OpenTurn(const OpenTurn&) = delete;
  OpenTurn& operator=(const OpenTurn&) = delete;
  ~OpenTurn();

  Result<void> run(const tree::Operation& operation);
  /// When it fails but for no_memory, the transaction has ended.
  Result<std::uint64_t> commit(Durability durability);
  /// Whether a commit() that failed has ended it.
  [[nodiscard]] bool has_ended() const noexcept { return table_->state().root == nullptr; }
  [[nodiscard]] View view() const;
  /// A view of this moment, which later writes do not change.
  [[nodiscard]] Result<View> frozen();

 private:
  void end() noexcept;
  Result<void> edit(const tree::Operation& operation);
  Result<void> refused(const tree::Operation& operation, const Result<void>& added);
  Result<std::uint64_t> commit_journaled(Durability durability);

  std::shared_ptr<Core> core_;
  std::uint64_t commit_ = 0;
  std::uint64_t base_ = 0;  // the commit it goes on from
  Ref<tree::WorkingTable> table_;
  std::unique_ptr<tree::Edit> edit_;
  bool left_ = false;  // the turn was given up
};

}  // namespace packfs::volume
