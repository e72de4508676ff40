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

  Result<void> run(Result<void> (*call)(tree::Edit&, const void*), const void* arguments);
  Result<std::uint64_t> commit();
  [[nodiscard]] View view() const;
  /// A view of this moment, which later writes do not change.
  [[nodiscard]] Result<View> frozen();

 private:
  void end() noexcept;

  std::shared_ptr<Core> core_;
  std::uint64_t commit_ = 0;
  Ref<tree::WorkingTable> table_;
  std::unique_ptr<tree::Edit> edit_;
};

}  // namespace packfs::volume
