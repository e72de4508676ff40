#include "rows/live_work.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace packfs::bench {

LivePlaces::LivePlaces(const Settings& settings)
    : memory("/dev/shm/packfs-bench-" + std::to_string(getpid())), disk(settings.directory) {
  std::filesystem::remove_all(memory);
  std::filesystem::create_directories(memory);
}

LivePlaces::~LivePlaces() {
  std::error_code ignored;
  std::filesystem::remove_all(memory, ignored);
}

LiveWork::LiveWork(const Corpus& corpus) : corpus_(corpus), lookups_(corpus) {
  for (const std::string& directory : corpus.directories) directories_.add(directory);
  contents_.resize(corpus.bytes());
  for (const CorpusFile& file : corpus.files) {
    paths_.add(file.path);
    fill_content(file.seed, std::span(contents_).subspan(starts_.back(), file.size));
    starts_.push_back(starts_.back() + file.size);
  }
}

RowHeading live_heading(const std::string& id, const std::string& operation, const std::string& workload,
                        const std::string& memory) {
  std::string part = workload;
  std::ranges::replace(part, ' ', '-');
  return {
      .id = id + "-" + part,
      .operation = operation,
      .workload = workload,
      .measure = Measure::entries_per_second,
      .conditions = {.compression = "none",
                     .xattrs = "none",
                     .memory = memory,
                     .filesystem = "packfs, std::map: memory; LMDB (but synced), LevelDB, SQLite (synchronous=OFF): "
                                   "tmpfs; LMDB synced: work directory; ext4: new, on a loop device"},
      .comparisons = {}};
}

}  // namespace packfs::bench
