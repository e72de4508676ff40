#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "arms/lmdb_live.h"
#include "arms/volume_store.h"
#include "check.h"
#include "corpus/random.h"
#include "rows/live_rows.h"

namespace packfs::bench {

namespace {

constexpr std::size_t kReads = 200'000;

/// Rewrites files all the time, each in a commit of its own, while this lives.
template <class Store>
class BusyWriter {
 public:
  BusyWriter(Store& store, const LiveWork& work)
      : thread_([this, &store, &work] {
          Random random(1);
          while (!stop_.load(std::memory_order_relaxed)) {
            const std::size_t file = random.below(work.paths().size());
            store.put(work.paths()[file], work.content(file));
            ++writes_;
          }
        }) {}
  BusyWriter(const BusyWriter&) = delete;
  BusyWriter& operator=(const BusyWriter&) = delete;
  ~BusyWriter() {
    stop_ = true;
    thread_.join();
    must_hold(writes_ != 0, "the writer did not write");
  }

 private:
  std::atomic<bool> stop_{false};
  std::uint64_t writes_ = 0;
  std::thread thread_;
};

/// The latency of a share of single reads, in seconds, the clock's own time included.
template <class Reader>
double latency(const Reader& reader, const LiveWork& work, double share) {
  using Clock = std::chrono::steady_clock;
  const Lookups& lookups = work.lookups();
  std::array<std::byte, kMaxFileBytes> buffer;
  std::vector<Clock::duration> times;
  times.reserve(kReads);
  for (std::size_t i = 0; i < kReads; ++i) {
    const std::string_view path = lookups.hits[i % lookups.hits.size()];
    const Clock::time_point begin = Clock::now();
    const std::size_t length = reader.read(path, buffer);
    times.push_back(Clock::now() - begin);
    must_hold(length == kWorkloadFileBytes, "wrong length");
  }
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::ranges::nth_element(times, at);
  return std::chrono::duration<double>(*at).count();
}

template <class Store, class Reader>
Arm latency_arm(const std::string& name, Store& store, const Reader& reader, const LiveWork& work, double share,
                bool with_writer) {
  const auto body = [&store, &reader, &work, share, with_writer](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      std::optional<BusyWriter<Store>> writer;
      if (with_writer) writer.emplace(store, work);
      state.SetIterationTime(latency(reader, work, share));
    }
  };
  return {.name = name, .body = body, .iterations = 1, .manual_time = true};
}

}  // namespace

void measure_live_latency(Recorder& recorder) {
  const LivePlaces places(recorder.settings());
  const Corpus corpus = workload(recorder.settings().scaled(20'000));
  const LiveWork work(corpus);
  VolumeStore volume;
  fill(volume, work);
  LmdbLive lmdb(places.memory + "/live.lmdb", LmdbMode::mapped_writes);
  fill(lmdb, work);
  const LmdbReader reader(lmdb, LmdbReader::Transactions::one_for_each_read);
  for (const auto& [percentile, share] :
       std::initializer_list<std::pair<std::string, double>>{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}}) {
    RowHeading row =
        live_heading("live-latency-" + percentile, "latency of a read, " + percentile, corpus.name,
                     "each read sees the newest commit; the clock's own time included; the writer rewrites "
                     "random files without a pause");
    row.measure = Measure::milliseconds;
    row.comparisons = {
        {.subject = "packfs beside a writer", .peer = "packfs idle", .at_least = {}, .at_most = {}},
        {.subject = "packfs beside a writer", .peer = "LMDB beside a writer", .at_least = {}, .at_most = {}},
        {.subject = "packfs idle", .peer = "LMDB idle", .at_least = {}, .at_most = {}}};
    recorder.measure(row, {latency_arm("packfs idle", volume, volume, work, share, false),
                           latency_arm("packfs beside a writer", volume, volume, work, share, true),
                           latency_arm("LMDB idle", lmdb, reader, work, share, false),
                           latency_arm("LMDB beside a writer", lmdb, reader, work, share, true)});
  }
}

}  // namespace packfs::bench
