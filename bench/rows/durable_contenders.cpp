#include "rows/durable_contenders.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "arms/leader_records.h"
#include "arms/level_store.h"
#include "arms/lmdb_live.h"
#include "arms/record_file.h"
#include "arms/rocks_store.h"
#include "arms/sqlite_store.h"
#include "arms/synced_host_store.h"
#include "arms/synced_records.h"
#include "arms/volume_store.h"
#include "check.h"
#include "rows/journal_groups.h"

namespace packfs::bench {

namespace {

/// One connection for all threads, which wait for each other in line: connections of their own would sleep and try
/// again.
class SharedSqlite {
 public:
  SharedSqlite(const std::string& path, SqliteMode mode) : store_(path, mode, Lifetime::kept) {}
  void make_directory(std::string_view path) { store_.make_directory(path); }
  void put(std::string_view path, std::span<const std::byte> content) {
    const std::lock_guard lock(mutex_);
    store_.put(path, content);
  }
  void begin() { store_.begin(); }
  void commit() { store_.commit(); }

 private:
  std::mutex mutex_;
  SqliteStore store_;
};

template <class Store>
void create_in_threads(Store& store, const LiveWork& work) {
  const std::size_t files = work.paths().size();
  std::vector<std::thread> threads;
  threads.reserve(kCreatingThreads);
  for (std::size_t thread = 0; thread < kCreatingThreads; ++thread) {
    threads.emplace_back(
        [&store, &work, begin = files * thread / kCreatingThreads, end = files * (thread + 1) / kCreatingThreads] {
          for (std::size_t i = begin; i < end; ++i) store.put(work.paths()[i], work.content(i));
        });
  }
  for (std::thread& thread : threads) thread.join();
}

template <class Store>
void create_in_commits(Store& store, const LiveWork& work) {
  const std::size_t files = work.paths().size();
  for (std::size_t begin = 0; begin < files; begin += kFilesInCommit) {
    store.begin();
    for (std::size_t i = begin; i < std::min(files, begin + kFilesInCommit); ++i) {
      store.put(work.paths()[i], work.content(i));
    }
    store.commit();
  }
}

template <class Store>
void do_job(Store& store, const LiveWork& work, DurableJob job) {
  switch (job) {
    case DurableJob::create:
      return put_files(store, work, work.paths().size());
    case DurableJob::create_in_threads:
      return create_in_threads(store, work);
    case DurableJob::create_in_commits:
      return create_in_commits(store, work);
  }
}

template <class Reader>
void must_hold_files(const Reader& reader, const LiveWork& work, const std::string& who) {
  std::array<std::byte, kMaxFileBytes> buffer;
  for (std::size_t i = 0; i < work.paths().size(); ++i) {
    const auto expected = work.content(i);
    must_hold(reader.read(work.paths()[i], buffer) == expected.size() &&
                  std::equal(expected.begin(), expected.end(), buffer.begin()),
              who + ": lost " + std::string(work.paths()[i]));
  }
}

/// Whether all of the work is in the store, and nothing else.
template <class Store>
void must_hold_all(const Store& store, const LiveWork& work, const std::string& who) {
  must_hold_files(store, work, who);
  must_hold(store.entries() == work.corpus().entries(), who + ": another number of entries");
}
void must_hold_all(const LmdbLive& store, const LiveWork& work, const std::string& who) {
  must_hold_files(LmdbReader(store, LmdbReader::Transactions::one), work, who);
  must_hold(store.entries() == work.corpus().entries(), who + ": another number of entries");
}

/// `make(path, work)` gives a new store, `find(path)` one that was made.
template <class Make, class Find>
DurableContender contender(const std::string& name, DurablePlace& place, DurableJob job, Make make, Find find) {
  return {.name = name, .run = [name, &place, job, make, find](const LiveWork& work) {
            const std::string path = place.next();
            double seconds = 0;
            {
              const auto store = make(path, work);
              make_directories(*store, work);
              place.settle();
              seconds = seconds_of([&] { do_job(*store, work, job); });
            }
            must_hold_all(*find(path), work, name);
            return seconds;
          }};
}

/// A contender whose stores are opened the same way when they are made and when they are found.
template <class Open>
DurableContender contender(const std::string& name, DurablePlace& place, DurableJob job, Open open) {
  return contender(
      name, place, job, [open](const std::string& path, const LiveWork&) { return open(path, Lifetime::kept); },
      [open](const std::string& path) { return open(path, Lifetime::found); });
}

/// What the journal of a store needs for one file of a job: what whoever writes as little as possible writes as well.
std::size_t record_bytes(DurablePlace& place, DurableJob job) {
  const Corpus corpus = workload(rehearsal_files(job));
  const LiveWork work(corpus);
  const std::string path = place.next();
  {
    VolumeStore store(path, Lifetime::kept);
    make_directories(store, work);
    do_job(store, work, job);
  }
  const std::vector<std::size_t> groups = journal_groups(path);
  const std::size_t bytes = std::accumulate(groups.begin() + 1, groups.end(), std::size_t{0});
  return (bytes + corpus.files.size() - 1) / corpus.files.size();
}

/// Records and nothing else; `options` go to the store.
template <class Records, class... Options>
DurableContender records_contender(const std::string& name, DurablePlace& place, DurableJob job, std::size_t bytes,
                                   Options... options) {
  return contender(
      name, place, job,
      [bytes, options...](const std::string& path, const LiveWork& work) {
        return std::make_unique<Records>(path, bytes, work.corpus().entries(), options...);
      },
      [](const std::string& path) { return std::make_unique<RecordFile>(path); });
}

std::vector<DurableContender> least_contenders(DurablePlace& place, DurableJob job) {
  const std::size_t bytes = record_bytes(place, job);
  if (job != DurableJob::create_in_threads) return {records_contender<SyncedRecords>(kFloor, place, job, bytes)};
  return {records_contender<LeaderRecords>(kIdealGroupCommit, place, job, bytes, std::size_t{0}),
          records_contender<LeaderRecords>(kGatheringLeader, place, job, bytes, kCreatingThreads)};
}

DurableContender sqlite_contender(const std::string& name, DurablePlace& place, DurableJob job, SqliteMode mode) {
  return contender(
      name, place, job,
      [mode](const std::string& path, const LiveWork&) { return std::make_unique<SharedSqlite>(path, mode); },
      [mode](const std::string& path) { return std::make_unique<SqliteStore>(path, mode, Lifetime::found); });
}

}  // namespace

std::vector<DurableContender> durable_contenders(DurablePlace& place, DurableJob job) {
  std::vector<DurableContender> all = least_contenders(place, job);
  const std::vector<DurableContender> stores{
      contender(
          "packfs", place, job,
          [](const std::string& path, Lifetime lifetime) { return std::make_unique<VolumeStore>(path, lifetime); }),
      contender("LevelDB", place, job,
                [](const std::string& path, Lifetime lifetime) {
                  return std::make_unique<LevelStore>(path, LevelMode::synced, lifetime);
                }),
      contender(
          "RocksDB", place, job,
          [](const std::string& path, Lifetime lifetime) { return std::make_unique<RocksStore>(path, lifetime); }),
      sqlite_contender("SQLite WAL", place, job, SqliteMode::write_ahead),
      sqlite_contender("SQLite rollback", place, job, SqliteMode::rollback),
      contender("LMDB", place, job,
                [](const std::string& path, Lifetime lifetime) {
                  return std::make_unique<LmdbLive>(path, LmdbMode::synced, lifetime);
                }),
  };
  all.insert(all.end(), stores.begin(), stores.end());
  if (job != DurableJob::create_in_commits) {
    all.push_back(contender("ext4", place, job, [](const std::string& path, Lifetime lifetime) {
      return std::make_unique<SyncedHostStore>(path, lifetime);
    }));
  }
  return all;
}

}  // namespace packfs::bench
