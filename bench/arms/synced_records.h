#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arms/record_file.h"

namespace packfs::bench {

/// The floor of a durable write: one pwrite and one fdatasync for each record, or for those between begin() and
/// commit(), and nothing else. One thread.
class SyncedRecords {
 public:
  SyncedRecords(const std::string& path, std::size_t record_bytes, std::size_t records)
      : file_(path, record_bytes, records) {}

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content) {
    file_.encode(path, content, bytes_);
    if (!is_open_) commit();
  }
  void begin() noexcept { is_open_ = true; }
  void commit() {
    file_.write(bytes_);
    file_.sync();
    bytes_.clear();
    is_open_ = false;
  }

 private:
  RecordFile file_;
  std::vector<std::byte> bytes_;
  bool is_open_ = false;
};

}  // namespace packfs::bench
