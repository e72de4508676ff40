#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corpus/corpus.h"
#include "corpus/lookups.h"
#include "recorder.h"

namespace packfs::bench {

/// Where live stores lie.
struct LivePlaces {
  /// A new directory in memory (/dev/shm): for whatever does not sync. Removed in the end.
  explicit LivePlaces(const Settings& settings);
  ~LivePlaces();
  LivePlaces(const LivePlaces&) = delete;
  LivePlaces& operator=(const LivePlaces&) = delete;

  std::string memory;
  std::string disk;  ///< the work directory
};

/// A corpus ready to be written: nothing of it is made while something is timed.
class LiveWork {
 public:
  explicit LiveWork(const Corpus& corpus);

  [[nodiscard]] const Corpus& corpus() const noexcept { return corpus_; }
  [[nodiscard]] const PathList& directories() const noexcept { return directories_; }
  [[nodiscard]] const PathList& paths() const noexcept { return paths_; }  ///< in the corpus's order
  [[nodiscard]] const Lookups& lookups() const noexcept { return lookups_; }
  [[nodiscard]] std::span<const std::byte> content(std::size_t file) const noexcept {
    return std::span(contents_).subspan(starts_[file], starts_[file + 1] - starts_[file]);
  }
  /// All files, or fewer for a store that is slow.
  [[nodiscard]] std::size_t at_most(std::size_t files) const noexcept { return std::min(files, paths_.size()); }

 private:
  const Corpus& corpus_;
  PathList directories_;
  PathList paths_;
  Lookups lookups_;
  std::vector<std::byte> contents_;
  std::vector<std::size_t> starts_{0};
};

template <class Store>
void make_directories(Store& store, const LiveWork& work) {
  store.begin();
  for (std::size_t i = 0; i < work.directories().size(); ++i) store.make_directory(work.directories()[i]);
  store.commit();
}

template <class Store>
void put_files(Store& store, const LiveWork& work, std::size_t files) {
  for (std::size_t i = 0; i < files; ++i) store.put(work.paths()[i], work.content(i));
}

/// The whole corpus, in one transaction.
template <class Store>
void fill(Store& store, const LiveWork& work) {
  make_directories(store, work);
  store.begin();
  put_files(store, work, work.paths().size());
  store.commit();
}

/// Seconds that `job` takes.
template <class Job>
double seconds_of(Job job) {
  const auto begin = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds for putting so many files, a commit for each; and in one transaction.
template <class Store>
double seconds_to_put(Store& store, const LiveWork& work, std::size_t files) {
  return seconds_of([&] { put_files(store, work, files); });
}
template <class Store>
double seconds_to_put_in_one(Store& store, const LiveWork& work, std::size_t files) {
  return seconds_of([&] {
    store.begin();
    put_files(store, work, files);
    store.commit();
  });
}

/// What rows about live stores have in common.
[[nodiscard]] RowHeading live_heading(const std::string& id, const std::string& operation, const std::string& workload,
                                      const std::string& memory);

}  // namespace packfs::bench
