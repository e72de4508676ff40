#include "rows/process_rows.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "arms/lmdb_store.h"
#include "arms/program.h"
#include "arms/raw_tree.h"
#include "arms/rested_filesystem.h"
#include "check.h"
#include "corpus/corpus.h"
#include "corpus/lookups.h"

namespace packfs::bench {

namespace {

constexpr unsigned kFewFiles = 20'000;
constexpr unsigned kManyFiles = 2'000'000;
constexpr std::int64_t kProcessesInRound = 150;

/// One way to read a file in a new process.
struct Reader {
  std::string arm;
  std::string program;
  std::string store;
};

/// What is read: files all over the store.
struct Sample {
  std::vector<std::uint32_t> files;
  std::vector<std::string> paths;

  explicit Sample(unsigned files_in_store) {
    constexpr unsigned kPaths = 1'000;
    const unsigned step = std::max(1U, files_in_store / kPaths);
    for (unsigned i = 0; i < kPaths; ++i) {
      // An odd multiplier spreads the order; neighbours in time are not neighbours in the store.
      const unsigned file = (i * 617 % kPaths) * step % files_in_store;
      files.push_back(file);
      paths.push_back(workload_path(file));
    }
  }
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Ends the program unless every reader prints the bytes of some files.
void must_print(const Reader& reader, const Sample& sample, const Settings& settings) {
  constexpr std::size_t kChecked = 20;
  const std::string output = settings.directory + "/printed";
  for (std::size_t i = 0; i < kChecked; ++i) {
    run_program({reader.program, reader.store, sample.paths[i]}, output);
    const CorpusFile file{.path = sample.paths[i], .size = kWorkloadFileBytes, .seed = sample.files[i] + 1};
    const std::vector<std::byte> expected = content_of(file);
    must_hold(text_of(output) == std::string(reinterpret_cast<const char*>(expected.data()), expected.size()),
              reader.arm + ": prints other bytes of " + file.path);
  }
}

Arm process_arm(const Reader& reader, const Sample& sample, const Settings& settings) {
  return {.name = reader.arm,
          .body =
              [&reader, &sample](benchmark::State& state) {
                std::size_t next = 0;
                std::vector<std::string> command{reader.program, reader.store, ""};
                for ([[maybe_unused]] auto _ : state) {
                  command.back() = sample.paths[next];
                  next = (next + 1) % sample.paths.size();
                  state.SetIterationTime(run_program(command).seconds);
                }
              },
          .iterations = settings.smoke ? 3 : kProcessesInRound,
          .manual_time = true};
}

Conditions conditions_of(const std::string& filesystem) {
  return {
      .compression = "none",
      .xattrs = "none",
      .memory =
          "a fresh process each time (posix_spawn to wait), linked dynamically: the one for ext4 loads libc alone, the "
          "others libstdc++ and their own libraries too; files in the page cache; no huge pages asked for",
      .filesystem = "pack and LMDB: work directory; host file: " + filesystem};
}

std::string store_name(const char* kind, unsigned files) { return std::string(kind) + " " + std::to_string(files); }

/// Builds a pack of workload W in a process of its own; returns that process's peak memory.
double build_pack(const Settings& settings, const std::string& path, unsigned files) {
  return static_cast<double>(
      run_program({settings.programs + "/build_workload_pack", path, std::to_string(files)}).peak_memory_bytes);
}

void record_memory(Recorder& recorder, unsigned files, double peak_bytes) {
  constexpr double kFixed = 64.0 * 1024 * 1024;
  constexpr double kForEntry = 100;
  const unsigned entries = files + files / kWorkloadDirectoryFiles;
  RowHeading row{
      .id = "build-memory",
      .operation = "peak memory of building",
      .workload = store_name("W", files),
      .measure = Measure::bytes,
      .conditions = {.compression = "none",
                     .xattrs = "none",
                     .memory = "largest resident set of a fresh process; no huge pages asked for",
                     .filesystem = "pack: work directory"},
      .comparisons = {{.subject = "packfs", .peer = "", .at_least = {}, .at_most = kFixed + kForEntry * entries}}};
  recorder.record(row, {{"packfs", peak_bytes}});
}

}  // namespace

void measure_processes(Recorder& recorder) {
  const Settings& settings = recorder.settings();
  const unsigned few = settings.scaled(kFewFiles);
  const unsigned many = settings.scaled(kManyFiles);
  const std::string prefix = settings.directory + "/process-";
  build_pack(settings, prefix + "few.pack", few);
  record_memory(recorder, many, build_pack(settings, prefix + "many.pack", many));
  write_lmdb(workload(few), prefix + "few.lmdb");
  write_lmdb(workload(many), prefix + "many.lmdb");
  constexpr std::uint64_t kBlock = 4096;
  const RestedFilesystem rested(settings.directory, "process-tree", few * 2, few * 2 * kBlock + (256ULL << 20));
  write_tree(workload(few), rested.path() + "/tree");
  sync();  // or it would be written back while something is timed

  const auto program = [&](const char* name) { return settings.programs + "/" + name; };
  const std::vector<Reader> readers{
      {store_name("packfs", few), program("read_one_pack"), prefix + "few.pack"},
      {store_name("packfs", many), program("read_one_pack"), prefix + "many.pack"},
      {store_name("LMDB", few), program("read_one_lmdb"), prefix + "few.lmdb"},
      {store_name("LMDB", many), program("read_one_lmdb"), prefix + "many.lmdb"},
      {"ext4", program("read_one_raw"), rested.path() + "/tree"},
  };
  const Sample few_sample(few);
  const Sample many_sample(many);
  std::vector<Arm> arms;
  for (const Reader& reader : readers) {
    const Sample& sample = reader.arm.ends_with(std::to_string(many)) ? many_sample : few_sample;
    must_print(reader, sample, settings);
    arms.push_back(process_arm(reader, sample, settings));
  }
  const auto against = [&](const char* kind, unsigned files, std::optional<double> at_most) {
    return Comparison{.subject = store_name(kind, files), .peer = "ext4", .at_least = {}, .at_most = at_most};
  };
  constexpr double kMost = 1.3;
  RowHeading row{
      .id = "process",
      .operation = "new process: open, read one file",
      .workload = "W",
      .measure = Measure::milliseconds,
      .conditions = conditions_of(rested.description()),
      .comparisons = {
          against("packfs", few, kMost),
          against("packfs", many, kMost),
          {.subject = store_name("packfs", many), .peer = store_name("packfs", few), .at_least = 0.9, .at_most = 1.1},
          against("LMDB", few, {}),
          against("LMDB", many, {})}};
  recorder.measure(row, arms);
}

}  // namespace packfs::bench
