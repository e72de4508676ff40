#include <array>
#include <functional>
#include <memory>

#include "arms/volume_store.h"
#include "check.h"
#include "rows/live_rows.h"

namespace packfs::bench {

namespace {

enum class Job : std::uint8_t { create, create_in_one, read };

double run_job(const LiveWork& work, Job job) {
  VolumeStore store;
  make_directories(store, work);
  const std::size_t files = work.paths().size();
  if (job == Job::create) return seconds_to_put(store, work, files);
  if (job == Job::create_in_one) return seconds_to_put_in_one(store, work, files);
  put_files(store, work, files);
  const SnapshotStore snapshot(store);
  std::array<std::byte, kMaxFileBytes> buffer;
  std::uint64_t bytes = 0;
  const double seconds = seconds_of([&] {
    for (std::size_t i = 0; i < files; ++i) bytes += snapshot.read(work.lookups().hits[i], buffer);
  });
  must_hold(bytes == work.lookups().bytes, "packfs: wrong bytes");
  return seconds;
}

Arm job_arm(const LiveWork& work, Job job) {
  const auto body = [&work, job](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(run_job(work, job));
  };
  return {.name = std::to_string(work.paths().size()) + " files", .body = body, .iterations = 1, .manual_time = true};
}

}  // namespace

void measure_live_growth(Recorder& recorder) {
  constexpr double kTimes = 7;
  const std::array<unsigned, 3> sizes{recorder.settings().scaled(2'000), recorder.settings().scaled(20'000),
                                      recorder.settings().scaled(200'000)};
  for (const unsigned files : sizes) {
    const Corpus small = workload(files);
    const Corpus large = workload(5 * files);
    const LiveWork with_small(small);
    const LiveWork with_large(large);
    const std::array<std::pair<Job, std::string>, 3> jobs{{{Job::create, "create, a commit for each"},
                                                           {Job::create_in_one, "create, one transaction"},
                                                           {Job::read, "read every file in random order"}}};
    for (const auto& [job, operation] : jobs) {
      RowHeading row = live_heading("live-growth-" + std::to_string(static_cast<int>(job)), operation + ": time",
                                    "W " + std::to_string(files) + " to " + std::to_string(5 * files),
                                    "a new volume for each round");
      row.measure = Measure::milliseconds;
      row.comparisons = {{.subject = std::to_string(5 * files) + " files",
                          .peer = std::to_string(files) + " files",
                          .at_least = {},
                          .at_most = kTimes}};
      recorder.measure(row, {job_arm(with_small, job), job_arm(with_large, job)});
    }
  }
}

}  // namespace packfs::bench
