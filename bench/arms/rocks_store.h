#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"

namespace rocksdb {
class DB;
class WriteBatch;
}  // namespace rocksdb

namespace packfs::bench {

/// A RocksDB database, each write synced: keys are paths, values contents. As it comes, but without compression: 64 MiB
/// write buffer. Threads: put() from any, outside a transaction.
class RocksStore {
 public:
  RocksStore(const std::string& path, Lifetime lifetime);
  ~RocksStore();
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content);
  void begin();
  void commit();
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const;
  /// Files and directories; looks at each.
  [[nodiscard]] std::uint64_t entries() const;

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  std::string path_;
  Lifetime lifetime_;
  std::unique_ptr<rocksdb::DB> database_;
  std::unique_ptr<rocksdb::WriteBatch> batch_;
};

}  // namespace packfs::bench
