#include "crash/machine.h"

#include <algorithm>
#include <cerrno>

#include "crash/process.h"

namespace packfs::testing {

History new_history() {
  History history;
  history.states.push_back(new_model());
  return history;
}

void Machine::run(const std::vector<Life>& lives, std::uint64_t segment_bytes, History& history) {
  for (const Life& life : lives) {
    run_one(life, segment_bytes, history);
    if (has_failed() || !history.complaint.empty()) return;
    ends_.push_back(disk_->calls());
    disk_->restart();
  }
}

void Machine::run_one(const Life& life, std::uint64_t segment_bytes, History& history) {
  const std::uint64_t killed_at = life.killed_at == 0 ? 0 : disk_->calls() + life.killed_at;
  const bool is_killed_first = killed_at != 0 && (point_ == 0 || killed_at < point_);
  disk_->crash_at(is_killed_first ? killed_at : point_);
  Process process(*disk_, history, life.failing_sync != 0);
  if (life.failing_sync != 0) disk_->fail_sync(life.failing_sync, EIO);
  process.open(segment_bytes);
  process.run(life.actions);
  // Who is killed does nothing more. Should the power fail at that very change, it is the same.
  if (life.is_killed && !disk_->crashed()) disk_->crash_at(disk_->calls() + 1);
  process.end();
}

}  // namespace packfs::testing
