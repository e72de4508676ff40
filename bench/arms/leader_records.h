#pragma once

#include <sched.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arms/record_file.h"

namespace packfs::bench {

/// An ideal group commit: threads put records into one buffer; whoever finds no leader leads, which is one pwrite and
/// one fdatasync for all that wait. Nothing else is done for a record. Threads: put() from any.
class LeaderRecords {
 public:
  /// A leader that gathers lets others run, kMostYields times, until `gathered` records wait; 0: it begins at once.
  LeaderRecords(const std::string& path, std::size_t record_bytes, std::size_t records, std::size_t gathered)
      : gathered_bytes_(gathered * record_bytes), file_(path, record_bytes, records) {}

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content) {
    std::unique_lock lock(mutex_);
    file_.encode(path, content, waiting_);
    const std::uint64_t own = ++put_;
    while (durable_ < own) {
      if (!is_led_) return lead(lock);
      led_.wait(lock);
    }
  }
  void begin() noexcept {}
  void commit() noexcept {}

  static constexpr int kMostYields = 4;

 private:
  /// What this thread put is in the buffer, so that it need not look again.
  void lead(std::unique_lock<std::mutex>& lock) {
    is_led_ = true;
    for (int i = 0; i < kMostYields && waiting_.size() < gathered_bytes_; ++i) {
      lock.unlock();
      sched_yield();
      lock.lock();
    }
    writing_.swap(waiting_);
    const std::uint64_t through = put_;
    lock.unlock();
    file_.write(writing_);
    file_.sync();
    writing_.clear();
    lock.lock();
    durable_ = through;
    is_led_ = false;
    lock.unlock();
    led_.notify_all();
  }

  std::size_t gathered_bytes_;
  std::mutex mutex_;
  std::condition_variable led_;
  bool is_led_ = false;
  std::uint64_t put_ = 0;
  std::uint64_t durable_ = 0;
  std::vector<std::byte> waiting_;
  RecordFile file_;
  std::vector<std::byte> writing_;  // the leader's
};

}  // namespace packfs::bench
