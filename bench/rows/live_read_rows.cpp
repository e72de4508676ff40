#include <algorithm>
#include <array>
#include <memory>

#include "arms/host_store.h"
#include "arms/level_store.h"
#include "arms/lmdb_live.h"
#include "arms/lmdb_store.h"
#include "arms/map_store.h"
#include "arms/raw_tree.h"
#include "arms/rested_filesystem.h"
#include "arms/sqlite_store.h"
#include "arms/volume_store.h"
#include "check.h"
#include "rows/live_rows.h"
#include "rows/lookup_arms.h"

namespace packfs::bench {

namespace {

/// Every store with the whole corpus in it.
struct Filled {
  Filled(const LiveWork& work, const LivePlaces& places, const Settings& settings, LivePeers peers)
      : lmdb(places.memory + "/live.lmdb", LmdbMode::mapped_writes),
        filesystem(settings.directory, "live", 2 * work.corpus().entries() + 1000,
                   2 * work.corpus().entries() * 4096 + (std::uint64_t{256} << 20)),
        ext4(filesystem.path() + "/files") {
    make_directories(grown, work);
    put_files(grown, work, work.paths().size());
    fill(in_one, work);
    fill(map, work);
    fill(lmdb, work);
    fill(ext4, work);
    if (peers == LivePeers::all) {
      level.emplace(places.memory + "/live.leveldb");
      fill(*level, work);
      sqlite.emplace(places.memory + "/live.sqlite");
      fill(*sqlite, work);
      tmpfs.emplace(places.memory + "/files");
      fill(*tmpfs, work);
    }
    grown_snapshot.emplace(grown);
    in_one_snapshot.emplace(in_one);
    lmdb_reader.emplace(lmdb, LmdbReader::Transactions::one);
  }

  VolumeStore grown;  // by a commit for each file
  VolumeStore in_one;
  MapStore map;
  LmdbLive lmdb;
  RestedFilesystem filesystem;
  HostStore ext4;
  std::optional<LevelStore> level;
  std::optional<SqliteStore> sqlite;
  std::optional<HostStore> tmpfs;
  std::optional<SnapshotStore> grown_snapshot;
  std::optional<SnapshotStore> in_one_snapshot;
  std::optional<LmdbReader> lmdb_reader;
};

/// Of names that are there, or of names that are not.
template <class Store>
Arm stat_arm(const std::string& name, const Store& store, const PathList& paths, std::uint64_t expected) {
  return {name, [&store, &paths, expected](benchmark::State& state) {
            for ([[maybe_unused]] auto _ : state) {
              std::uint64_t sum = 0;
              for (std::size_t i = 0; i < paths.size(); ++i) {
                std::uint64_t bytes = 0;
                store.size(paths[i], bytes);
                benchmark::DoNotOptimize(bytes);
                sum += bytes;
              }
              if (sum != expected) state.SkipWithError("wrong sizes");
            }
            count_items(state, paths.size());
          }};
}

/// Ends the program unless the store has every file's bytes, and nothing under the names that miss.
template <class Store>
void must_have(const Store& store, const LiveWork& work, const std::string& who) {
  const Lookups& lookups = work.lookups();
  std::array<std::byte, kMaxFileBytes> buffer;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
    const auto expected = work.content(lookups.files[i]);
    must_hold(store.read(lookups.hits[i], buffer) == expected.size() &&
                  std::equal(expected.begin(), expected.end(), buffer.begin()) && store.size(lookups.hits[i], bytes) &&
                  bytes == expected.size(),
              who + ": wrong bytes");
    must_hold(!store.size(lookups.misses[i], bytes), who + ": finds what is not there");
  }
}

/// An arm for each store.
template <class MakeArm>
std::vector<Arm> arms_for(const Filled& filled, MakeArm arm) {
  std::vector<Arm> arms{arm("packfs", *filled.grown_snapshot), arm("packfs, made in one", *filled.in_one_snapshot),
                        arm("packfs newest", filled.grown),    arm("LMDB", *filled.lmdb_reader),
                        arm("std::map", filled.map),           arm("ext4", filled.ext4)};
  if (filled.level) arms.push_back(arm("LevelDB", *filled.level));
  if (filled.sqlite) arms.push_back(arm("SQLite", *filled.sqlite));
  if (filled.tmpfs) arms.push_back(arm("tmpfs", *filled.tmpfs));
  return arms;
}

std::vector<Comparison> comparisons_for(const Filled& filled, std::optional<double> with_ext4) {
  std::vector<Comparison> all{
      {.subject = "packfs", .peer = "LMDB", .at_least = 1.5, .at_most = {}},
      {.subject = "packfs, made in one", .peer = "LMDB", .at_least = {}, .at_most = {}},
      {.subject = "packfs newest", .peer = "LMDB", .at_least = {}, .at_most = {}},
      {.subject = "packfs", .peer = "ext4", .at_least = with_ext4, .at_most = {}},
      {.subject = "packfs", .peer = "std::map", .at_least = {}, .at_most = {}},
  };
  const auto add = [&](const std::string& peer) {
    all.push_back({.subject = "packfs", .peer = peer, .at_least = {}, .at_most = {}});
  };
  if (filled.level) add("LevelDB");
  if (filled.sqlite) add("SQLite");
  if (filled.tmpfs) add("tmpfs");
  return all;
}

}  // namespace

void measure_live_reads(Recorder& recorder, const LiveWork& work, LivePeers peers) {
  const LivePlaces places(recorder.settings());
  const Filled filled(work, places, recorder.settings(), peers);
  const Lookups& lookups = work.lookups();
  const Corpus& corpus = work.corpus();
  static_cast<void>(arms_for(filled, [&](const std::string& name, const auto& store) {
    must_have(store, work, name);
    return Arm{};
  }));
  const std::string memory =
      "stores filled before the first round; packfs and LMDB read in one snapshot or transaction; packfs, packfs "
      "newest: "
      "filled by a commit for each file; packfs asks for huge pages";
  constexpr double kWithExt4 = 8;

  RowHeading read = live_heading("live-read", "random read by path", corpus.name, memory);
  read.comparisons = comparisons_for(filled, {});
  recorder.measure(read, arms_for(filled, [&](const std::string& name, const auto& store) {
                     return read_arm(name, store, lookups);
                   }));

  RowHeading stat = live_heading("live-stat", "stat by path", corpus.name, memory);
  stat.comparisons = comparisons_for(filled, kWithExt4);
  recorder.measure(stat, arms_for(filled, [&](const std::string& name, const auto& store) {
                     return stat_arm(name, store, lookups.hits, lookups.bytes);
                   }));

  RowHeading miss = live_heading("live-miss", "stat of a name that is not there", corpus.name, memory);
  miss.comparisons = stat.comparisons;
  recorder.measure(miss, arms_for(filled, [&](const std::string& name, const auto& store) {
                     return stat_arm(name, store, lookups.misses, 0);
                   }));

  std::vector<std::string> directories{""};
  directories.insert(directories.end(), corpus.directories.begin(), corpus.directories.end());
  RowHeading list = live_heading("live-list", "list all directories, names in order", corpus.name, memory);
  list.comparisons = {{.subject = "packfs", .peer = "std::map", .at_least = 1, .at_most = {}},
                      {.subject = "packfs, made in one", .peer = "std::map", .at_least = {}, .at_most = {}}};
  const auto list_snapshot = [&directories](const SnapshotStore& store) {
    return [&store, &directories](auto visit) { store.list_all(directories, visit); };
  };
  recorder.measure(list,
                   {list_arm("packfs", corpus.entries(), list_snapshot(*filled.grown_snapshot)),
                    list_arm("packfs, made in one", corpus.entries(), list_snapshot(*filled.in_one_snapshot)),
                    list_arm("std::map", corpus.entries(), [&filled](auto visit) { filled.map.list_all(visit); })});
}

void record_live_memory(Recorder& recorder, const LiveWork& work) {
  const Corpus& corpus = work.corpus();
  std::uint64_t known = corpus.bytes();
  for (const CorpusFile& file : corpus.files) known += file.path.size() - (file.path.rfind('/') + 1);
  const auto beyond = [&](VolumeStore& store) {
    store.volume().quiesce();
    const auto memory = static_cast<double>(store.volume().counters().memory_bytes);
    return (memory - static_cast<double>(known)) / static_cast<double>(corpus.files.size());
  };
  VolumeStore grown;
  make_directories(grown, work);
  put_files(grown, work, work.paths().size());
  VolumeStore in_one;
  fill(in_one, work);
  RowHeading row = live_heading("live-memory", "memory beyond name and content, for each file", corpus.name,
                                "what the volume has taken from its allocator, directories and rounding included");
  row.measure = Measure::bytes;
  row.comparisons = {{.subject = "packfs", .peer = "", .at_least = {}, .at_most = 200},
                     {.subject = "packfs, made in one", .peer = "", .at_least = {}, .at_most = 200}};
  recorder.record(row, {{"packfs", beyond(grown)}, {"packfs, made in one", beyond(in_one)}});
}

}  // namespace packfs::bench
