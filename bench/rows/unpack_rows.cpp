#include <chrono>
#include <functional>

#include "arms/pack_store.h"
#include "arms/program.h"
#include "base/system_io.h"
#include "check.h"
#include "host/export.h"
#include "rows/tree_rows.h"
#include "rows/unpacked.h"

namespace packfs::bench {

namespace {

/// Fills a directory that is there and empty; returns the seconds it took.
using Unpack = std::function<double(const std::string& target)>;

double export_pack(const std::string& path, const std::string& target) {
  const auto begin = std::chrono::steady_clock::now();
  const Pack pack = must(Pack::open(path), "open pack");
  auto exporter = must(host::Exporter::open(base::system_io(), pack.root(), target, {}), "open target");
  must(exporter.write_all(), "export");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  must_hold(exporter.report().exact(), "the export is not exact");
  return taken.count();
}

Arm unpack_arm(const std::string& name, const Unpack& unpack, const Settings& settings, const Corpus& corpus) {
  return {.name = name,
          .body =
              [&unpack, &settings, &corpus](benchmark::State& state) {
                for ([[maybe_unused]] auto _ : state) {
                  const UnpackTarget target(settings, corpus);
                  state.SetIterationTime(unpack(target.path()));
                }
              },
          .iterations = 1,
          .manual_time = true};
}

}  // namespace

void measure_unpack(Recorder& recorder, const Corpus& corpus, const Stores& stores) {
  const Settings& settings = recorder.settings();
  const std::string tar = settings.directory + "/unpack.tar";
  run_program({"tar", "cf", tar, "-C", stores.tree, "."});
  const Unpack by_packfs = [&](const std::string& target) { return export_pack(stores.pack, target); };
  const Unpack by_tar = [&](const std::string& target) {
    return run_program({"tar", "xf", tar, "-C", target}).seconds;
  };
  const Unpack by_cp = [&](const std::string& target) {
    return run_program({"cp", "-r", stores.tree + "/.", target}).seconds;
  };
  std::string filesystem;
  const auto check = [&](const Unpack& unpack, Keeps what, const std::string& who) {
    const UnpackTarget target(settings, corpus);
    unpack(target.path());
    must_hold_corpus(target.path(), corpus, what, who);
    filesystem = target.description();
  };
  check(by_packfs, Keeps::all, "packfs");
  check(by_tar, Keeps::whole_seconds, "tar");
  check(by_cp, Keeps::none, "cp");

  RowHeading row{
      .id = "unpack",
      .operation = "unpack a whole tree, 1 thread",
      .workload = corpus.name,
      .measure = Measure::job_milliseconds,
      .conditions = {.compression = "none",
                     .xattrs = "none",
                     .memory = "source in the page cache; nothing is synced; " + std::string(kOrdinaryMemory),
                     .filesystem = "target: " + filesystem + " for each run; source: " + stores.filesystem},
      .comparisons = {{.subject = "packfs", .peer = "tar xf", .at_least = 1.3, .at_most = {}},
                      {.subject = "packfs", .peer = "cp -r", .at_least = 1.3, .at_most = {}}}};
  recorder.measure(row, {unpack_arm("packfs", by_packfs, settings, corpus),
                         unpack_arm("tar xf", by_tar, settings, corpus), unpack_arm("cp -r", by_cp, settings, corpus)});
}

}  // namespace packfs::bench
