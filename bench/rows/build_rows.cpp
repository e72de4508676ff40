#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "arms/pack_store.h"
#include "arms/program.h"
#include "base/system_io.h"
#include "check.h"
#include "corpus/lookups.h"
#include "host/import.h"
#include "pack/writer.h"
#include "rows/agreement.h"
#include "rows/tree_rows.h"

namespace packfs::bench {

namespace {

constexpr unsigned kThreads = 2;

/// What was written before is on disk and its file gone, so that nothing of it is paid for in what is timed next.
void make_way(const std::string& path) {
  std::filesystem::remove(path);
  sync();
}

void must_hold_tree(const std::string& pack, const Corpus& corpus) {
  const PackStore store(pack, ReadMode::mmap);
  must_agree(store, corpus, Lookups(corpus), "packfs");
  must_list(store, corpus);
}

}  // namespace

void pack_tree(const std::string& tree, const std::string& path) {
  base::Io& io = base::system_io();
  const int fd = must_call(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644), path);
  const auto writer = must(pack::Writer::create(io, fd, {}), "create pack");
  const std::vector<std::string> sources{tree};
  host::ImportReport report;
  host::ImportOptions options;
  options.threads = kThreads;
  must(host::import_tree(io, sources, *writer, options, report), "import");
  must_hold(report.exact(), "the import is not exact");
  must(writer->finish(), "finish pack");
  must_call(close(fd), path);
}

void measure_build(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const std::string pack = recorder.settings().directory + "/built.pack";
  const std::string tar = recorder.settings().directory + "/built.tar";
  const std::vector<std::string> make_tar{"tar", "cf", tar, "-C", stores.tree, "."};
  make_way(pack);
  pack_tree(stores.tree, pack);
  must_hold_tree(pack, corpus);
  run_program(make_tar);
  run_program({"tar", "--compare", "-f", tar, "-C", stores.tree});

  RowHeading row{
      .id = "build",
      .operation = "build from a host tree, 2 threads",
      .workload = corpus.name,
      .measure = Measure::milliseconds,
      .conditions = {.compression = "none",
                     .xattrs = "packfs asks for those of each file (there are none); tar does not",
                     .memory = "tree in the page cache; dirty pages synced before each run; the result is not",
                     .filesystem = "tree: " + stores.filesystem + "; results: work directory"},
      // 1.3 times as fast is at most 1/1.3 of the time.
      .comparisons = {{.subject = "packfs", .peer = "tar cf", .at_least = {}, .at_most = 0.77}}};
  const auto in_process = [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      make_way(pack);
      const auto begin = std::chrono::steady_clock::now();
      pack_tree(stores.tree, pack);
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  };
  const auto by_tar = [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      make_way(tar);
      state.SetIterationTime(run_program(make_tar).seconds);
    }
  };
  recorder.measure(row, {{.name = "packfs", .body = in_process, .iterations = 1, .manual_time = true},
                         {.name = "tar cf", .body = by_tar, .iterations = 1, .manual_time = true}});
}

void measure_verify(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const PackStore store(stores.pack, ReadMode::mmap);
  const PackInfo info = store.pack().info();
  const VerifyReport whole = must(store.pack().verify(), "verify");
  must_hold(whole.damages == 0 && whole.entries_checked == corpus.entries(), "verify does not check every entry");

  constexpr double kBytesPerSecond = 3e9;
  RowHeading row{.id = "verify-" + id_part(corpus),
                 .operation = "verify, 1 thread",
                 .workload = corpus.name,
                 .measure = Measure::bytes_per_second,
                 .conditions = {.compression = "none",
                                .xattrs = "none",
                                .memory = "pack in the page cache, mapped",
                                .filesystem = "pack: work directory"},
                 .comparisons = {{.subject = "packfs", .peer = "", .at_least = kBytesPerSecond, .at_most = {}}}};
  const auto verify = [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      const auto report = store.pack().verify();
      if (!report || report->damages != 0) state.SkipWithError("damage found");
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(info.file_bytes));
  };
  recorder.measure(row, {{.name = "packfs", .body = verify}});
}

}  // namespace packfs::bench
