#include <algorithm>
#include <optional>
#include <utility>

#include "arms/rested_filesystem.h"
#include "check.h"
#include "rows/durable_contenders.h"
#include "rows/store_rows.h"

namespace packfs::bench {

namespace {

constexpr unsigned kCreated = 3'000;
constexpr unsigned kCreatedInThreads = 4'800;
constexpr unsigned kCreatedInCommits = 50'000;
constexpr unsigned kCreatedInSmoke = 48;  // each costs a sync

/// How much of the rate of a peer packfs must have; nothing: the line only informs.
using Bounds = std::vector<std::pair<std::string, std::optional<double>>>;

Bounds with_databases(Bounds bounds, std::optional<double> at_least) {
  for (const char* database : {"LevelDB", "RocksDB", "SQLite WAL", "SQLite rollback", "LMDB"}) {
    bounds.emplace_back(database, at_least);
  }
  return bounds;
}

RowHeading heading(const std::string& id, const std::string& operation, const Corpus& corpus,
                   const std::string& filesystem, const Bounds& bounds) {
  RowHeading row{
      .id = id,
      .operation = operation,
      .workload = corpus.name,
      .measure = Measure::entries_per_second,
      .conditions = {.compression = "none",
                     .xattrs = "none",
                     .memory = "a new store for each round, read back by a later opening; SQLite: one connection; "
                               "floor and ideal: records as long as those of packfs, into blocks written before",
                     .filesystem = filesystem},
      .comparisons = {}};
  for (const auto& [peer, at_least] : bounds) {
    row.comparisons.push_back({.subject = "packfs", .peer = peer, .at_least = at_least, .at_most = {}});
  }
  return row;
}

Arm arm_of(const DurableContender& contender, const LiveWork& work) {
  return {.name = contender.name,
          .body =
              [run = contender.run, &work](benchmark::State& state) {
                for ([[maybe_unused]] auto _ : state) state.SetIterationTime(run(work));
                state.SetItemsProcessed(static_cast<std::int64_t>(work.paths().size()) * state.iterations());
              },
          .iterations = 1,
          .manual_time = true};
}

/// Of all contenders, those the row compares. Each has done a smaller job, and what it left was read, before any is
/// timed.
void measure_job(Recorder& recorder, const RowHeading& row, const LiveWork& work, DurablePlace& place, DurableJob job) {
  const Corpus few = workload(rehearsal_files(job));
  const LiveWork rehearsal(few);
  std::vector<Arm> arms;
  for (const DurableContender& each : durable_contenders(place, job)) {
    const auto compares = [&](const Comparison& line) { return line.subject == each.name || line.peer == each.name; };
    if (std::ranges::none_of(row.comparisons, compares)) continue;
    each.run(rehearsal);
    arms.push_back(arm_of(each, work));
  }
  recorder.measure(row, arms);
}

/// A sync of the loop device costs two: its image's filesystem has one of its own. So what all arms have in common
/// weighs more here; but host files meet no filesystem that earlier unlinks have left slow.
void measure_rested_creates(Recorder& recorder, const LiveWork& work) {
  constexpr std::uint64_t kForFile = std::uint64_t{3} * 4096;
  const Settings& settings = recorder.settings();
  const std::uint64_t files = (settings.rounds + 1) * (work.corpus().entries() + 2 * kWorkloadDirectoryFiles);
  const RestedFilesystem filesystem(settings.directory, "durable-rested", files + 1000,
                                    files * kForFile + (std::uint64_t{256} << 20), RestedFilesystem::Image::written);
  DurablePlace place(filesystem.path() + "/stores");
  measure_job(recorder,
              heading("durable-create-rested", "durable create, rested filesystem", work.corpus(),
                      filesystem.description(), {{kFloor, {}}, {"ext4", 8}}),
              work, place, DurableJob::create);
}

}  // namespace

void measure_durable_creates(Recorder& recorder) {
  constexpr double kOfFloor = 0.85;
  constexpr double kOfIdeal = 0.9;
  constexpr double kOfHostFiles = 8;
  const Corpus one = workload(recorder.settings().smoke ? kCreatedInSmoke : kCreated);
  const LiveWork by_one(one);
  DurablePlace place(recorder.settings());
  measure_job(recorder,
              heading("durable-create", "durable create", one, place.description(),
                      with_databases({{kFloor, kOfFloor}, {"ext4", kOfHostFiles}}, 1)),
              by_one, place, DurableJob::create);
  const Corpus eight = workload(recorder.settings().smoke ? kCreatedInSmoke : kCreatedInThreads);
  measure_job(recorder,
              heading("durable-create-threads", "durable create, 8 threads", eight, place.description(),
                      with_databases({{kIdealGroupCommit, kOfIdeal}, {kGatheringLeader, {}}, {"ext4", {}}}, {})),
              LiveWork(eight), place, DurableJob::create_in_threads);
  measure_rested_creates(recorder, by_one);
}

void measure_durable_transactions(Recorder& recorder) {
  const Corpus corpus = workload(recorder.settings().scaled(kCreatedInCommits));
  DurablePlace place(recorder.settings());
  measure_job(recorder,
              heading("durable-commits", "create, 500 in a durable transaction", corpus, place.description(),
                      with_databases({{kFloor, {}}}, 1)),
              LiveWork(corpus), place, DurableJob::create_in_commits);
}

}  // namespace packfs::bench
