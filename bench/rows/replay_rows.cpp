#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "check.h"
#include "packfs/volume.h"
#include "rows/durable_place.h"
#include "rows/live_work.h"
#include "rows/store_rows.h"

namespace packfs::bench {

namespace {

constexpr unsigned kFiles = 1'000'000;
constexpr unsigned kLongFiles = 200'000;
constexpr std::size_t kLongBytes = 4096;
constexpr unsigned kFilesInTransaction = 1000;
constexpr double kRecordsPerSecond = 1e6;

/// The files of workload W, of any length.
struct Files {
  unsigned count = 0;
  std::size_t bytes = kWorkloadFileBytes;

  [[nodiscard]] std::uint64_t entries() const {
    return count + (count + kWorkloadDirectoryFiles - 1) / kWorkloadDirectoryFiles;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(count) + " files of " + std::to_string(bytes) + " B in the journal";
  }
};

using Content = std::array<std::byte, kLongBytes>;

std::span<const std::byte> fill(Content& content, const Files& files, unsigned file) {
  const auto used = std::span(content).first(files.bytes);
  fill_content(file + 1, used);
  return used;
}

void put(Writable& to, const Files& files, unsigned file, Content& content) {
  must(to.write(workload_path(file), fill(content, files, file), make_parents), "write");
}

/// Durable transactions of so many files each.
void write_in_transactions(Volume& volume, const Files& files) {
  Content content;
  for (unsigned begin = 0; begin < files.count; begin += kFilesInTransaction) {
    Transaction transaction = must(volume.begin(), "begin");
    for (unsigned i = begin; i < std::min(files.count, begin + kFilesInTransaction); ++i) {
      put(transaction, files, i, content);
    }
    must(transaction.commit(), "commit");
  }
}

/// A commit for each file, of which none waits for the disk.
void write_one_by_one(Volume& volume, const Files& files) {
  Content content;
  Volume unhurried = volume.with(Durability::async);
  for (unsigned i = 0; i < files.count; ++i) put(unhurried, files, i, content);
}

/// How a store came to be.
enum class Ending : std::uint8_t { closed, killed };

/// A store with all the files, made once.
struct Made {
  std::string name;
  std::string path;
  Ending ending = Ending::closed;
  std::optional<double> at_least;
};

/// The store is left as a killed process leaves it: copied while it is open.
std::string copy_of(const std::string& store, DurablePlace& place) {
  std::string path = place.next();
  std::filesystem::copy(store, path);
  return path;
}

using Write = std::function<void(Volume&, const Files&)>;

Made make(DurablePlace& place, const Files& files, Made made, const Write& write, std::uint64_t segment_bytes) {
  const std::string path = place.next();
  StoreOptions options;
  options.segment_bytes = segment_bytes;
  Volume volume = must(Volume::open(path, options), "open " + path);
  write(volume, files);
  made.path = made.ending == Ending::killed ? copy_of(path, place) : path;
  return made;
}

/// Ends the program unless all the files are there; of their contents a sample is read.
void must_hold_files(const Volume& volume, const Files& files, const std::string& who) {
  constexpr unsigned kSample = 1009;
  Content content;
  Content found;
  for (unsigned i = 0; i < files.count; i += kSample) {
    const auto expected = fill(content, files, i);
    const auto length = must(volume.read(workload_path(i), found), who);
    must_hold(length == expected.size() && std::equal(expected.begin(), expected.end(), found.begin()),
              who + ": another content of " + workload_path(i));
  }
  const Totals totals = must(volume.totals(), who);
  must_hold(totals.entries == files.entries() && totals.bytes == std::uint64_t{files.count} * files.bytes,
            who + ": not all the files");
}

/// Of a store that was killed a copy is opened, since opening it is what ends that.
double seconds_to_open(const Made& made, const Files& files, DurablePlace& place) {
  const bool is_copy = made.ending == Ending::killed;
  const std::string path = is_copy ? copy_of(made.path, place) : made.path;
  place.settle();
  double seconds = 0;
  {
    std::optional<Volume> volume;
    seconds = seconds_of([&] { volume = must(Volume::open(path), "open " + path); });
    must_hold_files(*volume, files, made.name);
  }
  if (is_copy) std::filesystem::remove_all(path);
  return seconds;
}

void measure_opening(Recorder& recorder, const std::string& id, const Files& files, DurablePlace& place,
                     const std::vector<Made>& stores) {
  RowHeading row{
      .id = id,
      .operation = "open: replay of the journal",
      .workload = files.text(),
      .measure = Measure::entries_per_second,
      .conditions = {.compression = "none",
                     .xattrs = "none",
                     .memory = "files counted, not commits; journal in the page cache; memory as it comes from "
                               "the system; killed: a copy of an open store",
                     .filesystem = place.description()},
      .comparisons = {}};
  std::vector<Arm> arms;
  for (const Made& made : stores) {
    row.comparisons.push_back({.subject = made.name, .peer = "", .at_least = made.at_least, .at_most = {}});
    arms.push_back({.name = made.name,
                    .body =
                        [&made, &files, &place](benchmark::State& state) {
                          for ([[maybe_unused]] auto _ : state) {
                            state.SetIterationTime(seconds_to_open(made, files, place));
                          }
                          state.SetItemsProcessed(std::int64_t{files.count} * state.iterations());
                        },
                    .iterations = 1,
                    .manual_time = true});
  }
  recorder.measure(row, arms);
}

}  // namespace

void measure_replay(Recorder& recorder) {
  constexpr std::uint64_t kUsual = StoreOptions{}.segment_bytes;
  constexpr std::uint64_t kOneSegment = std::uint64_t{4} << 30;  // or leaving the first would make it durable
  DurablePlace place(recorder.settings());
  const Files files{.count = recorder.settings().scaled(kFiles)};
  measure_opening(recorder, "replay", files, place,
                  {make(place, files, {"closed in order, commits of 1000", "", Ending::closed, kRecordsPerSecond},
                        write_in_transactions, kUsual),
                   make(place, files, {"closed in order, commits of 1", "", Ending::closed, kRecordsPerSecond},
                        write_one_by_one, kUsual),
                   make(place, files, {"killed, durable commits of 1000", "", Ending::killed, kRecordsPerSecond},
                        write_in_transactions, kUsual),
                   make(place, files, {"killed, commits of 1, nothing known to be durable", "", Ending::killed, {}},
                        write_one_by_one, kOneSegment)});
  const Files long_files{.count = recorder.settings().scaled(kLongFiles), .bytes = kLongBytes};
  measure_opening(recorder, "replay-long", long_files, place,
                  {make(place, long_files, {"closed in order, commits of 1000", "", Ending::closed, kRecordsPerSecond},
                        write_in_transactions, kUsual)});
}

}  // namespace packfs::bench
