#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "crash/history.h"
#include "crash/machine.h"
#include "crash/workload.h"
#include "stress/random.h"
#include "stress/sanitized.h"
#include "support/crash_disk.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Random = stress::Random;

/// PACKFS_CRASH_STATES overrides what the build is given.
std::uint64_t states_wanted() {
  const char* given = std::getenv("PACKFS_CRASH_STATES");
  if (given != nullptr && *given != '\0') return std::strtoull(given, nullptr, 10);
  return stress::kIsSanitized ? 1000 : 10'000;
}

/// How much of the states is of one kind, in percent, and how many of one workload at most.
struct Share {
  std::uint64_t percent;
  std::uint64_t points;
  std::uint64_t images_of_point;
};
constexpr std::array<Share, kWorkloadKinds.size()> kShares{Share{20, 5, 8}, Share{16, 5, 8}, Share{18, 6, 8},
                                                           Share{12, 8, 8}, Share{6, 8, 6},  Share{12, 8, 8},
                                                           Share{16, 10, 8}};

/// Lets the power fail at changes of workloads, and looks at what a disk may hold then.
class Crashes {
 public:
  explicit Crashes(std::uint64_t seed) : seed_(seed) {}

  /// Nothing wrong, or what was wrong first. A longer run looks at more of each workload.
  std::string run(WorkloadKind kind, std::uint64_t states, std::uint64_t times_points) {
    const Share& share = kShares[static_cast<std::size_t>(kind)];
    const std::uint64_t end = states_ + states;
    for (std::uint64_t i = 0; states_ < end; ++i) {
      ++workloads_;
      const Workload workload = make_workload(kind, seed_ + i);
      if (auto wrong = run(workload, share.points * times_points, share.images_of_point); !wrong.empty()) {
        return wrong + "\n" + to_text(workload);
      }
    }
    return "";
  }
  [[nodiscard]] std::uint64_t states() const { return states_; }
  [[nodiscard]] std::uint64_t workloads() const { return workloads_; }
  /// The names of those calls that change or sync.
  [[nodiscard]] const std::set<std::string_view>& calls() const { return calls_; }

 private:
  static constexpr std::uint64_t kDamagesAgain = 8;

  std::string run(const Workload& workload, std::uint64_t points, std::uint64_t images) {
    Random random(workload.seed * 31 + 7);
    Machine whole(workload.seed);
    History history = new_history();
    whole.run(workload.lives, workload.segment_bytes, history);
    if (!history.complaint.empty()) return history.complaint;
    const auto log = whole.disk().log();
    calls_.insert(log.begin(), log.end());
    // Making the store is the same each time.
    const std::uint64_t first = random.chance(8) ? 0 : whole.ends().front();
    const std::uint64_t changes = whole.ends().back() - first;
    std::set<std::uint64_t> chosen;
    if (changes <= points) {
      for (std::uint64_t i = 1; i <= changes; ++i) chosen.insert(first + i);
    }
    while (chosen.size() < std::min(points, changes)) chosen.insert(first + 1 + random.below(changes));
    for (const std::uint64_t point : chosen) {
      if (auto wrong = run_to(workload, point, images, random); !wrong.empty()) {
        return "died at change " + std::to_string(point) + ": " + wrong;
      }
    }
    return "";
  }

  std::string run_to(const Workload& workload, std::uint64_t point, std::uint64_t images, Random& random) {
    Machine machine(workload.seed);
    machine.fail_at(point);
    History history = new_history();
    machine.run(workload.lives, workload.segment_bytes, history);
    if (!history.complaint.empty()) return history.complaint;
    const std::uint64_t begin = random.next();
    for (std::uint64_t i = 0; i < images; ++i) {
      ++states_;
      if (auto wrong = look(machine.disk(), workload, history, (begin + i) % (kDamages.size() + kDamagesAgain), random);
          !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

  /// The disk as one damage leaves it; the last ones are by a second crash: in recovery, or of what came after.
  static std::string look(const CrashDisk& disk, const Workload& workload, const History& history, std::uint64_t which,
                          Random& random) {
    const std::uint64_t seed = random.next();
    const Damage damage = kDamages[which < kDamages.size() ? which : random.below(kDamages.size())];
    const First first = random.chance(50) ? First::reader : First::writer;
    const std::string where = "damage " + std::to_string(static_cast<int>(damage)) + ", seed " + std::to_string(seed);
    std::string wrong;
    std::string again;
    if (which < kDamages.size()) {
      wrong = check_found(*disk.crash_image(seed, damage), history, workload.segment_bytes, first);
    } else {
      Machine second(disk.crash_image(seed, damage));
      History goes_on = history;
      second.fail_at(1 + random.below(12));
      again = ", and again at change " + std::to_string(second.point());
      second.run({twin_of(workload.lives.back(), seed)}, workload.segment_bytes, goes_on);
      const Damage later = random.pick(kDamages);
      again += " with damage " + std::to_string(static_cast<int>(later));
      wrong = goes_on.complaint;
      if (wrong.empty())
        wrong = check_found(*second.disk().crash_image(seed, later), goes_on, workload.segment_bytes, first);
    }
    return wrong.empty() ? "" : where + again + ": " + wrong;
  }

  std::uint64_t seed_;
  std::uint64_t states_ = 0;
  std::uint64_t workloads_ = 0;
  std::set<std::string_view> calls_;
};

}  // namespace

TEST_CASE("after power loss at any change, what was durable is there, in the order of its commits", "[crash]") {
  const std::uint64_t seed = test_seed() % 1'000'000'000;
  const std::uint64_t states = states_wanted();
  std::uint64_t all_states = 0;
  std::uint64_t all_workloads = 0;
  std::set<std::string_view> all_calls;
  const char* only = std::getenv("PACKFS_CRASH_KIND");
  for (const WorkloadKind kind : kWorkloadKinds) {
    if (only != nullptr && std::atoi(only) != static_cast<int>(kind)) continue;
    Crashes crashes(seed);
    const std::uint64_t share = kShares[static_cast<std::size_t>(kind)].percent * states / 100;
    CHECK(crashes.run(kind, share, states > 50'000 ? 3 : 1) == "");
    WARN(name_of(kind) << ": " << crashes.states() << " states of " << crashes.workloads() << " workloads");
    all_states += crashes.states();
    all_workloads += crashes.workloads();
    all_calls.insert(crashes.calls().begin(), crashes.calls().end());
  }
  WARN("in all " << all_states << " states of " << all_workloads << " workloads");
  if (only == nullptr && states >= 10'000) {
    CHECK(all_workloads >= 200);
    for (const std::string_view call : {"pwrite", "fallocate", "sync_file_range", "fdatasync", "fsync", "renameat2"}) {
      CAPTURE(call);
      CHECK(all_calls.contains(call));
    }
  }
}
