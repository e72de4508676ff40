#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crash/gated_io.h"
#include "crash/history.h"
#include "crash/workload.h"
#include "packfs/volume.h"
#include "support/crash_disk.h"

namespace packfs::testing {

/// One process of a workload, from opening the store to its last action. What it does is added to the history as it is
/// begun; what does not end as the model says becomes its complaint.
class Process {
 public:
  /// Borrows all. `may_fail`: a call may fail though the power is there, and then all later ones do.
  Process(CrashDisk& disk, History& history, bool may_fail) noexcept
      : disk_(disk), io_(disk), history_(history), may_fail_(may_fail) {}

  /// The store must be found as the history says; what is found is durable from then on.
  void open(std::uint64_t segment_bytes);
  void run(const std::vector<Action>& actions);
  /// The last handle goes.
  void end();

 private:
  [[nodiscard]] bool is_over() const { return is_dead_ || !history_.complaint.empty(); }
  void act(const Action& action);
  void call(const stress::Operation& operation, bool is_async);
  void commit(bool is_async);
  void sync();
  void group(const Action& action);
  void committed(bool is_durable);
  void die(const std::string& what, const std::optional<ErrorCode>& error);
  void check_poisoned();

  CrashDisk& disk_;
  GatedIo io_;
  History& history_;
  bool may_fail_;
  std::optional<Volume> volume_;
  std::optional<Transaction> transaction_;
  stress::Model current_{0, 0};
  bool is_dead_ = false;
};

}  // namespace packfs::testing
