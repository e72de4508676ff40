#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "crash/history.h"
#include "crash/workload.h"
#include "support/crash_disk.h"

namespace packfs::testing {

/// A machine with one disk, on which processes run until the power fails.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : disk_(std::make_unique<CrashDisk>(seed)) {}
  explicit Machine(std::unique_ptr<CrashDisk> disk) noexcept : disk_(std::move(disk)) {}

  /// The power fails at the `point`-th change from now on; 0: never.
  void fail_at(std::uint64_t point) { point_ = point == 0 ? 0 : disk_->calls() + point; }
  /// Runs processes one after another, as far as they come, on what `history` says. Between them the machine goes on.
  void run(const std::vector<Life>& lives, std::uint64_t segment_bytes, History& history);
  /// Changes of the disk when each of the lives had ended.
  [[nodiscard]] const std::vector<std::uint64_t>& ends() const noexcept { return ends_; }
  [[nodiscard]] bool has_failed() const { return point_ != 0 && disk_->calls() + 1 >= point_; }
  [[nodiscard]] CrashDisk& disk() noexcept { return *disk_; }
  [[nodiscard]] std::uint64_t point() const noexcept { return point_; }

 private:
  void run_one(const Life& life, std::uint64_t segment_bytes, History& history);

  std::unique_ptr<CrashDisk> disk_;
  std::uint64_t point_ = 0;
  std::vector<std::uint64_t> ends_;
};

/// The history of a store that is not there yet.
[[nodiscard]] History new_history();

}  // namespace packfs::testing
