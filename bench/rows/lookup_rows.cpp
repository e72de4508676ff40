#include "rows/lookup_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "arms/lmdb_store.h"
#include "arms/pack_store.h"
#include "arms/raw_tree.h"
#include "corpus/lookups.h"
#include "rows/agreement.h"
#include "rows/lookup_arms.h"

namespace packfs::bench {

namespace {

/// Every store of the corpus, open, and what is looked up in them.
struct Open {
  Open(const Corpus& corpus, const Stores& stores)
      : lookups(corpus),
        directories(all_directories(corpus)),
        mapped(stores.pack, ReadMode::mmap),
        with_pread(stores.pack, ReadMode::pread),
        lmdb(stores.lmdb),
        raw(stores.tree) {}

  Lookups lookups;
  std::vector<std::string> directories;
  PackStore mapped;
  PackStore with_pread;
  LmdbStore lmdb;
  RawTree raw;
};

template <class Store>
Arm stat_arm(const std::string& name, const Store& store, const Lookups& lookups) {
  return {name, [&store, &lookups](benchmark::State& state) {
            for ([[maybe_unused]] auto _ : state) {
              std::uint64_t bytes = 0;
              for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
                Status status;
                store.status(lookups.hits[i], status);
                benchmark::DoNotOptimize(status);
                bytes += status.size;
              }
              if (bytes != lookups.bytes) state.SkipWithError("wrong sizes");
            }
            count_items(state, lookups.hits.size());
          }};
}

template <class Store>
Arm miss_arm(const std::string& name, const Store& store, const Lookups& lookups) {
  return {name, [&store, &lookups](benchmark::State& state) {
            for ([[maybe_unused]] auto _ : state) {
              std::size_t found = 0;
              Status status;
              for (std::size_t i = 0; i < lookups.misses.size(); ++i) {
                found += store.status(lookups.misses[i], status) ? 1 : 0;
              }
              if (found != 0) state.SkipWithError("found what is not there");
            }
            count_items(state, lookups.misses.size());
          }};
}

RowHeading heading_of(const std::string& id, const std::string& operation, const Corpus& corpus, const Stores& stores) {
  return {.id = id + "-" + id_part(corpus),
          .operation = operation,
          .workload = corpus.name,
          .measure = Measure::entries_per_second,
          .conditions = {.compression = "none",
                         .xattrs = "none",
                         .memory = "all in the page cache; readers open since before the first round; " +
                                   std::string(kOrdinaryMemory),
                         .filesystem = "pack and LMDB: work directory; host files: " + stores.filesystem},
          .comparisons = {}};
}

}  // namespace

std::string id_part(const Corpus& corpus) {
  std::string id = corpus.name;
  std::ranges::replace(id, ' ', '-');
  return id;
}

void measure_lookups(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const Open open(corpus, stores);
  const Lookups& lookups = open.lookups;
  must_agree(open.mapped, corpus, lookups, "packfs");
  must_agree(open.with_pread, corpus, lookups, "packfs pread");
  must_agree(open.lmdb, corpus, lookups, "LMDB");
  must_agree(open.raw, corpus, lookups, "host files");
  must_list(open.mapped, corpus);
  must_list(open.lmdb, corpus);

  RowHeading read = heading_of("read", "random read by path", corpus, stores);
  read.comparisons = {{.subject = "packfs", .peer = "LMDB", .at_least = 1.5, .at_most = {}},
                      {.subject = "packfs", .peer = "ext4", .at_least = 20, .at_most = {}},
                      {.subject = "packfs pread", .peer = "LMDB", .at_least = {}, .at_most = {}},
                      {.subject = "packfs pread", .peer = "ext4", .at_least = {}, .at_most = {}}};
  recorder.measure(read, {read_arm("packfs", open.mapped, lookups), read_arm("packfs pread", open.with_pread, lookups),
                          read_arm("LMDB", open.lmdb, lookups), read_arm("ext4", open.raw, lookups)});

  RowHeading stat = heading_of("stat", "stat by path", corpus, stores);
  stat.comparisons = {{.subject = "packfs", .peer = "LMDB", .at_least = 1.5, .at_most = {}},
                      {.subject = "packfs", .peer = "ext4", .at_least = {}, .at_most = {}}};
  recorder.measure(stat, {stat_arm("packfs", open.mapped, lookups), stat_arm("LMDB", open.lmdb, lookups),
                          stat_arm("ext4", open.raw, lookups)});

  RowHeading miss = heading_of("miss", "stat of a name that is not there", corpus, stores);
  miss.comparisons = stat.comparisons;
  recorder.measure(miss, {miss_arm("packfs", open.mapped, lookups), miss_arm("LMDB", open.lmdb, lookups),
                          miss_arm("ext4", open.raw, lookups)});

  RowHeading list = heading_of("list", "list all directories, names in order", corpus, stores);
  list.comparisons = {{.subject = "packfs", .peer = "LMDB", .at_least = 1, .at_most = {}}};
  const auto list_pack = [&open](auto visit) { open.mapped.list_all(open.directories, visit); };
  const auto list_lmdb = [&open](auto visit) { open.lmdb.list_all(visit); };
  recorder.measure(list,
                   {list_arm("packfs", corpus.entries(), list_pack), list_arm("LMDB", corpus.entries(), list_lmdb)});
}

void record_overhead(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const auto entries = static_cast<double>(corpus.entries());
  std::uint64_t name_bytes = 0;
  const auto add_name = [&](const std::string& path) { name_bytes += path.size() - (path.rfind('/') + 1); };
  for (const std::string& directory : corpus.directories) add_name(directory);
  for (const CorpusFile& file : corpus.files) add_name(file.path);
  const auto beyond_contents = [&](const std::string& path) {
    return (static_cast<double>(std::filesystem::file_size(path)) - static_cast<double>(corpus.bytes())) / entries;
  };

  constexpr double kFixedBytes = 112;
  RowHeading row = heading_of("overhead", "bytes beyond content, for each entry", corpus, stores);
  row.measure = Measure::bytes;
  row.comparisons = {{.subject = "packfs",
                      .peer = "",
                      .at_least = {},
                      .at_most = kFixedBytes + 2 * static_cast<double>(name_bytes) / entries},
                     {.subject = "packfs", .peer = "LMDB", .at_least = {}, .at_most = {}}};
  recorder.record(row, {{"packfs", beyond_contents(stores.pack)}, {"LMDB", beyond_contents(stores.lmdb)}});
}

}  // namespace packfs::bench
