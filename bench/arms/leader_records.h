#pragma once

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

/// An ideal group commit: threads put records into one buffer; whoever finds no leader leads, which is one pwrite and one
/// fdatasync for all that wait. Nothing else is done for a record. Threads: put() from any.
class LeaderRecords {
 public:
  LeaderRecords(const std::string& path, std::size_t record_bytes, std::size_t records)
      : file_(path, record_bytes, records) {}

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content) {
    std::unique_lock lock(mutex_);
    file_.encode(path, content, waiting_);
    const std::uint64_t own = ++put_;
    while (durable_ < own) {
      if (is_led_) {
        led_.wait(lock);
      } else {
        lead(lock);
      }
    }
  }
  void begin() noexcept {}
  void commit() noexcept {}

 private:
  void lead(std::unique_lock<std::mutex>& lock) {
    is_led_ = true;
    writing_.swap(waiting_);
    const std::uint64_t through = put_;
    lock.unlock();
    file_.write(writing_);
    file_.sync();
    writing_.clear();
    lock.lock();
    durable_ = through;
    is_led_ = false;
    led_.notify_all();
  }

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
