#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "arms/lmdb_store.h"
#include "arms/pack_store.h"
#include "arms/raw_tree.h"
#include "arms/rested_filesystem.h"
#include "check.h"
#include "machine.h"
#include "recorder.h"
#include "rows/live_rows.h"
#include "rows/lookup_rows.h"
#include "rows/process_rows.h"
#include "rows/store_rows.h"
#include "rows/tree_rows.h"

namespace packfs::bench {

namespace {

constexpr unsigned kSmall = 20'000;
constexpr unsigned kLarge = 200'000;

/// Room for every file in whole blocks, twice over, and for the journal.
RestedFilesystem filesystem_for(const Corpus& corpus, const Settings& settings) {
  constexpr std::uint64_t kBlock = 4096;
  constexpr std::uint64_t kJournal = 256ULL << 20;
  return {settings.directory, "host", corpus.entries() * 2,
          2 * (corpus.entries() * kBlock + corpus.bytes()) + kJournal};
}

Stores stores_in(const Settings& settings, const RestedFilesystem& filesystem) {
  return {.pack = settings.directory + "/corpus.pack",
          .lmdb = settings.directory + "/corpus.lmdb",
          .tree = filesystem.path() + "/tree",
          .filesystem = filesystem.description()};
}

void measure_workload(Recorder& recorder, const Corpus& corpus) {
  const RestedFilesystem filesystem = filesystem_for(corpus, recorder.settings());
  const Stores stores = stores_in(recorder.settings(), filesystem);
  write_tree(corpus, stores.tree);
  write_pack(corpus, stores.pack);
  write_lmdb(corpus, stores.lmdb);
  sync();  // or it would be written back while something is timed
  measure_lookups(recorder, corpus, stores);
  record_overhead(recorder, corpus, stores);
}

void measure_repository(Recorder& recorder) {
  const Settings& settings = recorder.settings();
  const Corpus corpus = repository_tree(settings.smoke ? RepositoryShape::twentieth() : RepositoryShape{});
  const RestedFilesystem filesystem = filesystem_for(corpus, settings);
  const Stores stores = stores_in(settings, filesystem);
  write_tree(corpus, stores.tree);
  std::filesystem::remove(stores.pack);
  pack_tree(stores.tree, stores.pack);
  write_lmdb(corpus, stores.lmdb);
  sync();  // or it would be written back while something is timed
  measure_lookups(recorder, corpus, stores);
  record_overhead(recorder, corpus, stores);
  measure_build(recorder, corpus, stores);
  measure_verify(recorder, corpus, stores);
  measure_unpack(recorder, corpus, stores);
}

void measure_live(Recorder& recorder, const Corpus& corpus, LivePeers peers) {
  const LiveWork work(corpus);
  measure_live_writes(recorder, work, peers);
  measure_live_reads(recorder, work, peers);
  record_live_memory(recorder, work);
}

/// Rows that share their data, and a process.
struct Group {
  std::string_view name;
  std::function<void(Recorder&)> run;
};

const std::array<Group, 18>& all_groups() {
  static const std::array<Group, 18> groups{{
      {"small", [](Recorder& recorder) { measure_workload(recorder, workload(recorder.settings().scaled(kSmall))); }},
      {"large", [](Recorder& recorder) { measure_workload(recorder, workload(recorder.settings().scaled(kLarge))); }},
      {"flat-small",
       [](Recorder& recorder) { measure_workload(recorder, flat_workload(recorder.settings().scaled(kSmall))); }},
      {"flat-large",
       [](Recorder& recorder) { measure_workload(recorder, flat_workload(recorder.settings().scaled(kLarge))); }},
      {"tree", measure_repository},
      {"process", measure_processes},
      {"live-small",
       [](Recorder& recorder) {
         measure_live(recorder, workload(recorder.settings().scaled(kSmall)), LivePeers::all);
       }},
      {"live-large",
       [](Recorder& recorder) {
         measure_live(recorder, workload(recorder.settings().scaled(kLarge)), LivePeers::fast);
       }},
      {"live-flat-small",
       [](Recorder& recorder) {
         measure_live(recorder, flat_workload(recorder.settings().scaled(kSmall)), LivePeers::fast);
       }},
      {"live-flat-large",
       [](Recorder& recorder) {
         measure_live(recorder, flat_workload(recorder.settings().scaled(kLarge)), LivePeers::fast);
       }},
      {"live-threads", measure_live_threads},
      {"live-trees", measure_live_trees},
      {"live-appends", measure_live_appends},
      {"live-growth", measure_live_growth},
      {"live-latency", measure_live_latency},
      {"store-transactions", measure_durable_transactions},
      {"store-replay", measure_replay},
      {"store-creates", measure_durable_creates},  // last: its many unlinks leave the filesystem slow
  }};
  return groups;
}

void run_group(const Group& group, const std::string& result) {
  const Settings settings = Settings::from_environment();
  std::string program = "bench";
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  std::array<char*, 3> arguments{program.data(), interleaving.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments.data());
  Recorder recorder(settings);
  for (const auto& [name, value] : machine_facts(settings)) recorder.state_fact(name, value);
  group.run(recorder);
  recorder.save(result);
}

}  // namespace

}  // namespace packfs::bench

/// bench: prints the names of the groups. bench GROUP RESULT: runs one and writes its result.
int main(int argc, char** argv) {
  for (const auto& group : packfs::bench::all_groups()) {
    if (argc == 1) std::printf("%.*s\n", static_cast<int>(group.name.size()), group.name.data());
    if (argc == 3 && group.name == argv[1]) {
      packfs::bench::run_group(group, argv[2]);
      return 0;
    }
  }
  if (argc == 1) return 0;
  packfs::bench::fail("usage: bench [GROUP RESULT]");
}
