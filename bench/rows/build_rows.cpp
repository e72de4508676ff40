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
#include "rows/archiver.h"
#include "rows/tree_rows.h"
#include "rows/unpacked.h"

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

Arm import_arm(const std::string& tree, const std::string& pack) {
  const auto body = [&tree, &pack](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      make_way(pack);
      const auto begin = std::chrono::steady_clock::now();
      pack_tree(tree, pack);
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  };
  return {.name = "packfs", .body = body, .iterations = 1, .manual_time = true};
}

Arm archiver_arm(const Archiver& archiver) {
  const auto body = [&archiver](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      make_way(archiver.output);
      state.SetIterationTime(run_program(archiver.make).seconds);
    }
  };
  return {.name = archiver.arm, .body = body, .iterations = 1, .manual_time = true};
}

void must_hold_tree(const Archiver& archiver, const Corpus& corpus, const Settings& settings) {
  make_way(archiver.output);
  run_program(archiver.make);
  const UnpackTarget target(settings, corpus);
  std::vector<std::string> extract = archiver.extract;
  extract.push_back(target.path());
  run_program(extract);
  must_hold_corpus(target.path(), corpus, archiver.has_times ? Keeps::whole_seconds : Keeps::none, archiver.arm);
}

RowHeading build_heading(const Corpus& corpus, const Stores& stores) {
  const auto against = [](const char* peer, double at_least) {
    return Comparison{.subject = "packfs", .peer = peer, .at_least = at_least, .at_most = {}};
  };
  return {
      .id = "build",
      .operation = "build from a host tree, 2 threads",
      .workload = corpus.name,
      .measure = Measure::job_milliseconds,
      .conditions = {.compression = "none",
                     .xattrs = "packfs, mksquashfs and mkfs.erofs look for them (there are none), tar and zip do not",
                     .memory = "tree in the page cache; what was written is synced before each run, the result is "
                               "not; " +
                               std::string(kOrdinaryMemory),
                     .filesystem = "tree: " + stores.filesystem + "; results: work directory"},
      .comparisons = {against("tar cf", 1.3), against("zip -0", 3), against("mksquashfs", 3),
                      against("mkfs.erofs", 3)}};
}

}  // namespace

void pack_tree(const std::string& tree, const std::string& path) {
  base::Io& io = base::system_io();
  const int fd = must_call(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644), path);
  const auto writer = must(pack::Writer::create(io, fd, {}), "create pack");
  const std::vector<std::string> sources{tree};
  host::ImportOptions options;
  options.threads = kThreads;
  host::ImportReport report;
  must(host::import_tree(io, sources, *writer, options, report), "import");
  must_hold(report.exact(), "the import is not exact");
  must(writer->finish(), "finish pack");
  must_call(close(fd), path);
}

void measure_build(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const Settings& settings = recorder.settings();
  const std::string pack = settings.directory + "/built.pack";
  const std::vector<Archiver> peers = archivers(stores.tree, settings.directory);
  make_way(pack);
  pack_tree(stores.tree, pack);
  must_hold_tree(pack, corpus);
  std::vector<Arm> arms{import_arm(stores.tree, pack)};
  for (const Archiver& peer : peers) {
    must_hold_tree(peer, corpus, settings);
    arms.push_back(archiver_arm(peer));
  }
  recorder.measure(build_heading(corpus, stores), arms);
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
                                .memory = "pack in the page cache, mapped; " + std::string(kOrdinaryMemory),
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
