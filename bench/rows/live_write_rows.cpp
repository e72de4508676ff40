#include <barrier>
#include <functional>
#include <memory>
#include <thread>

#include "arms/host_store.h"
#include "arms/level_store.h"
#include "arms/lmdb_live.h"
#include "arms/map_store.h"
#include "arms/rested_filesystem.h"
#include "arms/sqlite_store.h"
#include "arms/volume_store.h"
#include "check.h"
#include "rows/live_rows.h"

namespace packfs::bench {

namespace {

constexpr std::size_t kSyncedPuts = 1000;  // of the arm that waits for the disk
constexpr std::string_view kFresh = "a new store for each round, in a process that has run other rounds before";

/// Host files on a filesystem of their own, so that no unlinks of an earlier round slow it.
class FreshHostStore {
 public:
  FreshHostStore(const std::string& directory, const LiveWork& work)
      : filesystem_(directory, "live", 2 * work.corpus().entries() + 1000,
                    2 * work.corpus().entries() * 4096 + (std::uint64_t{256} << 20)),
        store_(filesystem_.path() + "/files") {}
  [[nodiscard]] HostStore& operator*() noexcept { return store_; }

 private:
  RestedFilesystem filesystem_;
  HostStore store_;
};

/// One arm: what makes a store for a round, and how many of the files it gets.
template <class Make>
struct Contender {
  std::string name;
  Make make;
  std::size_t files;
};

enum class Job : std::uint8_t { create, create_in_one, remove, remove_shuffled };

template <class Store>
double run_job(Store& store, const LiveWork& work, std::size_t files, Job job) {
  make_directories(store, work);
  if (job == Job::create) return seconds_to_put(store, work, files);
  if (job == Job::create_in_one) return seconds_to_put_in_one(store, work, files);
  store.begin();
  put_files(store, work, files);
  store.commit();
  if (job == Job::remove) {
    return seconds_of([&] {
      for (std::size_t i = 0; i < files; ++i) store.remove(work.paths()[i]);
    });
  }
  const Lookups& lookups = work.lookups();
  return seconds_of([&] {
    for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
      if (lookups.files[i] < files) store.remove(lookups.hits[i]);
    }
  });
}

template <class Make>
Arm arm_of(const Contender<Make>& contender, const LiveWork& work, Job job) {
  const auto body = [contender, &work, job](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      auto holder = contender.make();
      state.SetIterationTime(run_job(*holder, work, contender.files, job));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(contender.files) * state.iterations());
  };
  return {.name = contender.name, .body = body, .iterations = 1, .manual_time = true};
}

std::vector<Arm> arms_for(const LiveWork& work, const LivePlaces& places, LivePeers peers, Job job) {
  const std::size_t all = work.paths().size();
  const auto lmdb = [&places](LmdbMode mode) {
    const std::string path = (mode == LmdbMode::synced ? places.disk : places.memory) + "/live.lmdb";
    return [path, mode] { return std::make_unique<LmdbLive>(path, mode); };
  };
  std::vector<Arm> arms{
      arm_of(Contender{"packfs", [] { return std::make_unique<VolumeStore>(); }, all}, work, job),
      arm_of(Contender{"LMDB writemap", lmdb(LmdbMode::mapped_writes), all}, work, job),
      arm_of(Contender{"LMDB nosync", lmdb(LmdbMode::not_synced), all}, work, job),
      arm_of(Contender{"std::map", [] { return std::make_unique<MapStore>(); }, all}, work, job),
  };
  if (peers == LivePeers::fast) return arms;
  const auto add = [&](const std::string& name, std::size_t files, const auto& make) {
    arms.push_back(arm_of(Contender{name, make, files}, work, job));
  };
  const std::string memory = places.memory;
  const std::string disk = places.disk;
  add("LMDB synced", job == Job::create_in_one ? all : work.at_most(kSyncedPuts), lmdb(LmdbMode::synced));
  add("LevelDB", all, [memory] { return std::make_unique<LevelStore>(memory + "/live.leveldb"); });
  add("SQLite", all, [memory] { return std::make_unique<SqliteStore>(memory + "/live.sqlite"); });
  add("tmpfs", all, [memory] { return std::make_unique<HostStore>(memory + "/files"); });
  const LiveWork* const files = &work;
  add("ext4", all, [disk, files] {
    auto fresh = std::make_shared<FreshHostStore>(disk, *files);
    return std::shared_ptr<HostStore>(fresh, &**fresh);
  });
  return arms;
}

std::vector<Comparison> comparisons_for(LivePeers peers, double with_lmdb) {
  std::vector<Comparison> all{{.subject = "packfs", .peer = "LMDB writemap", .at_least = with_lmdb, .at_most = {}}};
  std::vector<std::string> others{"LMDB nosync", "std::map"};
  if (peers == LivePeers::all) {
    others.insert(others.end(), {"LMDB synced", "LevelDB", "SQLite", "tmpfs", "ext4"});
  }
  for (const std::string& peer : others) {
    all.push_back({.subject = "packfs", .peer = peer, .at_least = {}, .at_most = {}});
  }
  return all;
}

/// Whether a store does what it is told, before it is timed.
template <class Store, class Reader>
void must_keep(Store& store, const Reader& reader, const std::string& who) {
  std::array<std::byte, 16> buffer{};
  const std::array<std::byte, 3> content{std::byte{1}, std::byte{2}, std::byte{3}};
  store.put("probe\0", content);
  must_hold(reader.read("probe\0", buffer) == 3 && std::equal(content.begin(), content.end(), buffer.begin()),
            who + ": loses what was put");
  store.remove("probe\0");
  must_hold(reader.read("probe\0", buffer) == Store::kMissing, who + ": keeps what was removed");
}

void must_all_keep(const LivePlaces& places) {
  VolumeStore volume;
  must_keep(volume, volume, "packfs");
  MapStore map;
  must_keep(map, map, "std::map");
  for (const LmdbMode mode : {LmdbMode::synced, LmdbMode::not_synced, LmdbMode::mapped_writes}) {
    LmdbLive lmdb(places.memory + "/probe.lmdb", mode);
    must_keep(lmdb, LmdbReader(lmdb, LmdbReader::Transactions::one_for_each_read), "LMDB");
  }
  LevelStore level(places.memory + "/probe.leveldb");
  must_keep(level, level, "LevelDB");
  SqliteStore sqlite(places.memory + "/probe.sqlite");
  must_keep(sqlite, sqlite, "SQLite");
  HostStore host(places.memory + "/probe.files");
  must_keep(host, host, "tmpfs");
}

constexpr std::size_t kThreads = 8;

/// Each thread: all its files are put, then read, then removed.
template <class Store, class Reader>
void work_in_threads(Store& store, const std::vector<PathList>& paths, std::span<const std::byte> content,
                     Reader reader_of) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (const PathList& own : paths) {
    threads.emplace_back([&store, &own, content, reader_of] {
      std::array<std::byte, kMaxFileBytes> buffer;
      const auto reader = reader_of(store);
      for (std::size_t i = 0; i < own.size(); ++i) store.put(own[i], content);
      for (std::size_t i = 0; i < own.size(); ++i) must_hold(reader->read(own[i], buffer) == content.size(), "read");
      for (std::size_t i = 0; i < own.size(); ++i) store.remove(own[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

template <class Make, class Reader>
Arm threads_arm(const std::string& name, const std::vector<PathList>& paths, const Make& make, Reader reader_of) {
  const auto body = [&paths, make, reader_of](benchmark::State& state) {
    const std::vector<std::byte> content(kWorkloadFileBytes, std::byte{'x'});
    std::size_t files = 0;
    for (const PathList& own : paths) files += own.size();
    for ([[maybe_unused]] auto _ : state) {
      auto store = make();
      for (std::size_t thread = 0; thread < kThreads; ++thread) store->make_directory("t" + std::to_string(thread));
      state.SetIterationTime(seconds_of([&] { work_in_threads(*store, paths, content, reader_of); }));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(3 * files) * state.iterations());
  };
  return {.name = name, .body = body, .iterations = 1, .manual_time = true};
}

}  // namespace

void measure_live_writes(Recorder& recorder, const LiveWork& work, LivePeers peers) {
  const LivePlaces places(recorder.settings());
  must_all_keep(places);
  struct Measured {
    Job job;
    std::string id;
    std::string operation;
    double with_lmdb;
  };
  const std::array<Measured, 4> jobs{{
      {Job::create, "live-create", "create, a commit for each", 2},
      {Job::create_in_one, "live-create-in-one", "create, one transaction", 1},
      {Job::remove, "live-unlink", "unlink in order, a commit for each", 2},
      {Job::remove_shuffled, "live-unlink-shuffled", "unlink shuffled, a commit for each", 2},
  }};
  for (const auto& [job, id, operation, with_lmdb] : jobs) {
    RowHeading row = live_heading(id, operation, work.corpus().name, std::string(kFresh));
    row.comparisons = comparisons_for(peers, with_lmdb);
    recorder.measure(row, arms_for(work, places, peers, job));
  }
}

void measure_live_threads(Recorder& recorder) {
  const LivePlaces places(recorder.settings());
  const std::size_t each = recorder.settings().scaled(4000);
  std::vector<PathList> paths(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (std::size_t i = 0; i < each; ++i) paths[thread].add("t" + std::to_string(thread) + "/f" + std::to_string(i));
  }
  RowHeading row = live_heading("live-threads", "create, read, unlink; 8 threads",
                                "8 x " + std::to_string(each) + " files", std::string(kFresh));
  row.comparisons = {{.subject = "packfs", .peer = "LMDB writemap", .at_least = 2, .at_most = {}},
                     {.subject = "packfs", .peer = "tmpfs", .at_least = {}, .at_most = {}}};
  const std::string memory = places.memory;
  const auto itself = [](auto& store) { return &store; };
  recorder.measure(
      row, {threads_arm(
                "packfs", paths, [] { return std::make_unique<VolumeStore>(); }, itself),
            threads_arm(
                "LMDB writemap", paths,
                [memory] { return std::make_unique<LmdbLive>(memory + "/live.lmdb", LmdbMode::mapped_writes); },
                [](LmdbLive& store) {
                  return std::make_unique<LmdbReader>(store, LmdbReader::Transactions::one_for_each_read);
                }),
            threads_arm("tmpfs", paths, [memory] { return std::make_unique<HostStore>(memory + "/files"); }, itself)});
}

}  // namespace packfs::bench
