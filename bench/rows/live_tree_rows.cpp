#include <memory>

#include "arms/volume_store.h"
#include "check.h"
#include "rows/live_rows.h"

namespace packfs::bench {

namespace {

constexpr unsigned kLarge = 200'000;

/// "large" with so many files, a hundred in a directory, and "empty".
void make_pair(VolumeStore& store, unsigned files) {
  Transaction transaction = must(store.volume().begin(), "begin");
  const std::vector<std::byte> content(kWorkloadFileBytes, std::byte{'x'});
  for (unsigned i = 0; i < files; ++i) {
    must(transaction.write("large/" + workload_path(i), content, make_parents), "write");
  }
  must(transaction.make_directory("empty"), "mkdir");
  must(transaction.commit(), "commit");
}

/// Seconds for each of the two renames, there and back.
Arm rename_arm(const std::string& name, Volume& volume, const std::string& directory) {
  const auto body = [&volume, directory](benchmark::State& state) {
    const std::string other = directory + "-moved";
    for ([[maybe_unused]] auto _ : state) {
      must(volume.rename(directory, other), "rename");
      must(volume.rename(other, directory), "rename");
    }
  };
  return {.name = name, .body = body};
}

Arm clone_arm(const std::string& name, Volume& volume, const std::string& directory) {
  const auto body = [&volume, directory](benchmark::State& state) {
    const std::string copy = directory + "-copy";
    for ([[maybe_unused]] auto _ : state) {
      must(volume.clone(directory, copy), "clone");
      must(volume.remove_tree(copy), "remove");
    }
  };
  return {.name = name, .body = body};
}

Arm remove_arm(unsigned files) {
  const auto body = [files](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      VolumeStore store;
      make_pair(store, files);
      state.SetIterationTime(seconds_of([&] { must(store.volume().remove_tree("large"), "remove"); }));
      store.volume().quiesce();
      must_hold(store.volume().counters().inodes < 10, "packfs: what was removed is not freed");
    }
  };
  return {.name = "packfs", .body = body, .iterations = 1, .manual_time = true};
}

RowHeading heading(const std::string& id, const std::string& operation, unsigned files) {
  RowHeading row = live_heading(id, operation, std::to_string(files) + " files", "one volume in all rounds");
  row.measure = Measure::milliseconds;
  return row;
}

void measure_pairs(Recorder& recorder, VolumeStore& store, unsigned files) {
  RowHeading rename = heading("live-rename", "rename a directory there and back", files);
  rename.comparisons = {{.subject = "packfs large", .peer = "packfs empty", .at_least = {}, .at_most = 2}};
  recorder.measure(rename, {rename_arm("packfs large", store.volume(), "large"),
                            rename_arm("packfs empty", store.volume(), "empty")});
  RowHeading clone = heading("live-clone", "clone a directory and remove the copy", files);
  clone.comparisons = rename.comparisons;
  recorder.measure(
      clone, {clone_arm("packfs large", store.volume(), "large"), clone_arm("packfs empty", store.volume(), "empty")});
}

void measure_diff(Recorder& recorder, VolumeStore& store, unsigned files) {
  constexpr unsigned kChanges = 10;
  Volume& volume = store.volume();
  const Snapshot before = volume.snapshot();
  const std::vector<std::byte> content(kWorkloadFileBytes, std::byte{'y'});
  for (unsigned i = 0; i < kChanges; ++i) {
    must(volume.write("large/" + workload_path(i * (files / kChanges)), content), "write");
  }
  const Snapshot after = volume.snapshot();
  RowHeading row = heading("live-diff", "diff of two snapshots, 10 changes", files);
  row.comparisons = {{.subject = "packfs", .peer = "", .at_least = {}, .at_most = 0.1}};
  const auto body = [&before, &after](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      const auto changes = diff(before, after);
      if (!changes || changes->size() != kChanges) state.SkipWithError("wrong number of changes");
    }
  };
  recorder.measure(row, {{.name = "packfs", .body = body}});
}

}  // namespace

void measure_live_trees(Recorder& recorder) {
  const unsigned files = recorder.settings().scaled(kLarge);
  VolumeStore store;
  make_pair(store, files);

  RowHeading snapshot = heading("live-snapshot", "take a snapshot and drop it", files);
  snapshot.comparisons = {{.subject = "packfs", .peer = "", .at_least = {}, .at_most = 0.0002}};
  const auto body = [&store](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(store.volume().snapshot());
  };
  recorder.measure(snapshot, {{.name = "packfs", .body = body}});
  measure_pairs(recorder, store, files);
  measure_diff(recorder, store, files);

  RowHeading remove = heading("live-remove-tree", "remove a directory with all below: until the call returns", files);
  remove.comparisons = {{.subject = "packfs", .peer = "", .at_least = {}, .at_most = 0.02}};
  recorder.measure(remove, {remove_arm(files)});
}

}  // namespace packfs::bench
