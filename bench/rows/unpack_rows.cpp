#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "arms/pack_store.h"
#include "arms/program.h"
#include "arms/raw_tree.h"
#include "arms/rested_filesystem.h"
#include "base/system_io.h"
#include "check.h"
#include "host/export.h"
#include "rows/tree_rows.h"

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

/// Which attributes a way of unpacking keeps.
enum class Keeps : std::uint8_t {
  all,
  whole_seconds,  ///< all but the fraction of a second: tar's usual format
  none,
};

bool keeps(Keeps what, const Status& found, Status expected) {
  if (what == Keeps::whole_seconds) expected.mtime.nanoseconds = 0;
  return what == Keeps::none || found == expected;
}

/// Ends the program unless the directory holds the corpus: names, bytes, and the attributes that are kept.
void must_hold_corpus(const std::string& directory, const Corpus& corpus, Keeps what, const std::string& who) {
  const RawTree tree(directory);
  std::vector<std::byte> buffer(kMaxFileBytes);
  Status status;
  for (const CorpusFile& file : corpus.files) {
    const std::vector<std::byte> expected = content_of(file);
    const std::size_t length = tree.read(file.path, buffer);
    must_hold(length == expected.size() && std::equal(expected.begin(), expected.end(), buffer.begin()),
              who + ": wrong bytes in " + file.path);
    must_hold(tree.status(file.path, status) && keeps(what, status, status_of(file)),
              who + ": wrong attributes of " + file.path);
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::recursive_directory_iterator(directory)) ++entries;
  must_hold(entries == corpus.entries(), who + ": another number of entries");
}

/// A new filesystem with an empty directory to unpack into.
class Target {
 public:
  Target(const Settings& settings, const Corpus& corpus)
      : filesystem_(settings.directory, "unpacked", corpus.entries() * 2,
                    corpus.entries() * kBlocks * kBlock + corpus.bytes() + kJournal),
        path_(filesystem_.path() + "/tree") {
    std::filesystem::create_directory(path_);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& description() const noexcept { return filesystem_.description(); }

 private:
  static constexpr std::uint64_t kBlock = 4096;
  static constexpr std::uint64_t kBlocks = 2;
  static constexpr std::uint64_t kJournal = 256ULL << 20;

  RestedFilesystem filesystem_;
  std::string path_;
};

Arm unpack_arm(const std::string& name, const Unpack& unpack, const Settings& settings, const Corpus& corpus) {
  return {.name = name,
          .body =
              [&unpack, &settings, &corpus](benchmark::State& state) {
                for ([[maybe_unused]] auto _ : state) {
                  const Target target(settings, corpus);
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
    const Target target(settings, corpus);
    unpack(target.path());
    must_hold_corpus(target.path(), corpus, what, who);
    filesystem = target.description();
  };
  check(by_packfs, Keeps::all, "packfs");
  check(by_tar, Keeps::whole_seconds, "tar");
  check(by_cp, Keeps::none, "cp");

  RowHeading row{.id = "unpack",
                 .operation = "unpack a whole tree",
                 .workload = corpus.name,
                 .measure = Measure::milliseconds,
                 .conditions = {.compression = "none",
                                .xattrs = "none",
                                .memory = "source in the page cache; nothing synced",
                                .filesystem = "target: " + filesystem + " for each run"},
                 .comparisons = {{.subject = "packfs", .peer = "tar xf", .at_least = {}, .at_most = 0.77},
                                 {.subject = "packfs", .peer = "cp -r", .at_least = {}, .at_most = 0.77}}};
  recorder.measure(row, {unpack_arm("packfs", by_packfs, settings, corpus),
                         unpack_arm("tar xf", by_tar, settings, corpus), unpack_arm("cp -r", by_cp, settings, corpus)});
}

}  // namespace packfs::bench
