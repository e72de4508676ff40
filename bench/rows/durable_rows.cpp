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
constexpr unsigned kCreatedInThreads = 8'000;
constexpr unsigned kCreatedInCommits = 50'000;

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
void measure_job(Recorder& recorder, const RowHeading& row, const LiveWork& work,
                 const std::vector<DurableContender>& contenders) {
  const Corpus few = workload(static_cast<unsigned>(work.at_most(2 * kFilesInCommit)));
  const LiveWork rehearsal(few);
  std::vector<Arm> arms;
  for (const DurableContender& each : contenders) {
    const auto compares = [&](const Comparison& line) { return line.subject == each.name || line.peer == each.name; };
    if (std::ranges::none_of(row.comparisons, compares)) continue;
    each.run(rehearsal);
    arms.push_back(arm_of(each, work));
  }
  recorder.measure(row, arms);
}

std::string work_place(const Recorder& recorder) { return recorder.settings().directory + "/durable"; }

/// A sync of the loop device costs two: its image's filesystem has one of its own. So what all arms have in common
/// weighs more here; but host files meet no filesystem that earlier unlinks have left slow.
void measure_rested_creates(Recorder& recorder, const LiveWork& work) {
  constexpr std::uint64_t kForFile = std::uint64_t{3} * 4096;
  const Settings& settings = recorder.settings();
  const std::uint64_t files = (settings.rounds + 1) * (work.corpus().entries() + 2 * kFilesInCommit);
  const RestedFilesystem filesystem(settings.directory, "durable-rested", files + 1000,
                                    files * kForFile + (std::uint64_t{256} << 20), RestedFilesystem::Image::written);
  DurablePlace place(filesystem.path() + "/stores");
  measure_job(recorder,
              heading("durable-create-rested", "durable create, rested filesystem", work.corpus(),
                      filesystem.description(), {{kFloor, {}}, {"ext4", 8}}),
              work, durable_contenders(place, DurableJob::create));
}

}  // namespace

void measure_durable_creates(Recorder& recorder) {
  constexpr double kOfFloor = 0.85;
  constexpr double kOfIdeal = 0.9;
  constexpr double kOfHostFiles = 8;
  const Corpus one = workload(recorder.settings().scaled(kCreated));
  const LiveWork by_one(one);
  DurablePlace place(work_place(recorder));
  measure_job(recorder,
              heading("durable-create", "durable create", one, "work directory",
                      with_databases({{kFloor, kOfFloor}, {"ext4", kOfHostFiles}}, 1)),
              by_one, durable_contenders(place, DurableJob::create));
  const Corpus eight = workload(recorder.settings().scaled(kCreatedInThreads));
  measure_job(recorder,
              heading("durable-create-threads", "durable create, 8 threads", eight, "work directory",
                      with_databases({{kIdealGroupCommit, kOfIdeal}, {"ext4", {}}}, {})),
              LiveWork(eight), durable_contenders(place, DurableJob::create_in_threads));
  measure_rested_creates(recorder, by_one);
}

void measure_durable_transactions(Recorder& recorder) {
  const Corpus corpus = workload(recorder.settings().scaled(kCreatedInCommits));
  DurablePlace place(work_place(recorder));
  measure_job(recorder,
              heading("durable-commits", "create, 500 in a durable transaction", corpus, "work directory",
                      with_databases({{kFloor, {}}}, 1)),
              LiveWork(corpus), durable_contenders(place, DurableJob::create_in_commits));
}

}  // namespace packfs::bench
