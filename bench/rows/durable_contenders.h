#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rows/durable_place.h"
#include "rows/live_work.h"

namespace packfs::bench {

/// What is done with a new store whose directories are there. The files are all those of the work.
enum class DurableJob : std::uint8_t {
  create,             ///< one after another, each durable before the next
  create_in_threads,  ///< the same by eight threads, each with its part of the directories
  create_in_commits,  ///< kFilesInCommit in one durable transaction, one transaction after another
};

inline constexpr unsigned kFilesInCommit = 500;
inline constexpr std::size_t kCreatingThreads = 8;

/// How many files show that a job is done well.
[[nodiscard]] constexpr unsigned rehearsal_files(DurableJob job) noexcept {
  return job == DurableJob::create_in_commits ? 2 * kFilesInCommit : 100;
}

/// A kind of store that can do a job.
struct DurableContender {
  std::string name;
  /// Makes a store, does the job and closes it; opens it again and ends the program unless every file is there with
  /// its content, and nothing else. Returns the seconds of the job alone.
  std::function<double(const LiveWork&)> run;
};

/// Names that rows compare.
inline constexpr const char* kFloor = "fdatasync floor";
inline constexpr const char* kIdealGroupCommit = "ideal group commit";
inline constexpr const char* kGatheringLeader = "ideal, leader gathers";

/// packfs, the floor (of threads: ideal group commits instead), LevelDB, RocksDB, SQLite in both modes and LMDB; where
/// files are created by themselves, host files too. Borrows `place`.
[[nodiscard]] std::vector<DurableContender> durable_contenders(DurablePlace& place, DurableJob job);

}  // namespace packfs::bench
