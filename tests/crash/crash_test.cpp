#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "crash/workload.h"
#include "stress/operation.h"
#include "stress/sanitized.h"
#include "support/crash_disk.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

/// PACKFS_CRASH_STATES overrides what the build is given.
std::uint64_t states_wanted() {
  const char* given = std::getenv("PACKFS_CRASH_STATES");
  if (given != nullptr && *given != '\0') return std::strtoull(given, nullptr, 10);
  return stress::kIsSanitized ? 1000 : 10'000;
}

std::string text_of(const Workload& workload) {
  std::string text = "workload " + std::to_string(workload.seed) + (workload.async ? " (async)" : "") + ":\n";
  for (const auto& operation : workload.operations) text += "  " + to_text(operation) + "\n";
  return text;
}

/// Lets workloads die at each of their changes and looks at what a disk may hold then.
class Crashes {
 public:
  explicit Crashes(std::uint64_t seed) : seed_(seed) {}

  /// Nothing wrong, or what was wrong first.
  std::string run(std::uint64_t states) {
    for (std::uint64_t i = 0; states_ < states; ++i) {
      if (auto wrong = run(make_workload(seed_ + i)); !wrong.empty()) return wrong;
    }
    return "";
  }
  [[nodiscard]] std::uint64_t states() const { return states_; }
  [[nodiscard]] std::uint64_t workloads() const { return workloads_; }

 private:
  static constexpr std::uint64_t kDamagesAgain = 5;
  static constexpr std::uint64_t kChangesOfCreation = 11;

  std::string run(const Workload& workload) {
    ++workloads_;
    // Making the store is the same each time.
    for (std::uint64_t point = workload.seed % 8 == 0 ? 1 : kChangesOfCreation;; ++point) {
      CrashDisk disk(workload.seed);
      disk.mkdirat(AT_FDCWD, kStore, 0777);
      disk.fsync(disk.openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0));
      disk.crash_at(disk.calls() + point);
      const History history = testing::run(workload, disk);
      if (!history.complaint.empty()) return history.complaint + "\n" + text_of(workload);
      if (auto wrong = look(disk, workload, history, point); !wrong.empty()) return wrong + "\n" + text_of(workload);
      if (!disk.crashed()) return "";
    }
  }

  /// A store that power left at a change: as each damage leaves it, and again with a second crash in recovery.
  std::string look(const CrashDisk& disk, const Workload& workload, const History& history, std::uint64_t point) {
    for (std::uint64_t i = 0; i < kDamages.size() + kDamagesAgain; ++i) {
      const std::uint64_t seed = seed_ * 1000003 + states_;
      const Damage damage = kDamages[i < kDamages.size() ? i : seed % kDamages.size()];
      const auto found = disk.crash_image(seed, damage);
      ++states_;
      const std::string where = "died at change " + std::to_string(point) + ", damage " +
                                std::to_string(static_cast<int>(damage)) + ", seed " + std::to_string(seed);
      const bool again = i >= kDamages.size();
      std::string wrong = again ? look_again(*found, workload, history, seed) : check_found(*found, workload, history);
      if (!wrong.empty()) return where + (again ? ", and again in recovery: " : ": ") + wrong;
    }
    return "";
  }

  static std::string look_again(CrashDisk& disk, const Workload& workload, const History& history, std::uint64_t seed) {
    disk.crash_at(disk.calls() + 1 + seed % 12);
    {
      const auto volume = open_store(disk, workload.segment_bytes);
    }
    const auto found = disk.crash_image(seed, kDamages[seed / 12 % kDamages.size()]);
    return check_found(*found, workload, history);
  }

  std::uint64_t seed_;
  std::uint64_t states_ = 0;
  std::uint64_t workloads_ = 0;
};

}  // namespace

TEST_CASE("after power loss at any change, what was durable is there, in the order of its commits", "[crash]") {
  Crashes crashes(test_seed() % 1'000'000'000);
  CHECK(crashes.run(states_wanted()) == "");
  WARN(crashes.states() << " states of " << crashes.workloads() << " workloads");
}
