#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"

namespace leveldb {
class DB;
class WriteBatch;
}  // namespace leveldb

namespace packfs::bench {

/// Whether a LevelDB database waits for the disk (WriteOptions::sync).
enum class LevelMode : bool { not_synced, synced };

/// A LevelDB database: keys are paths, values contents. As it comes, but without compression: 4 MiB write buffer.
/// Threads: put() from any, outside a transaction.
class LevelStore {
 public:
  explicit LevelStore(const std::string& path, LevelMode mode = LevelMode::not_synced,
                      Lifetime lifetime = Lifetime::passing);
  ~LevelStore();
  LevelStore(const LevelStore&) = delete;
  LevelStore& operator=(const LevelStore&) = delete;

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content);
  void remove(std::string_view path);
  void begin();
  void commit();
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const;
  bool size(std::string_view path, std::uint64_t& bytes) const;
  /// Files and directories; looks at each.
  [[nodiscard]] std::uint64_t entries() const;

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  std::string path_;
  Lifetime lifetime_;
  bool synced_;
  std::unique_ptr<leveldb::DB> database_;
  std::unique_ptr<leveldb::WriteBatch> batch_;
  mutable std::string value_;  // LevelDB hands a value out in a string
};

}  // namespace packfs::bench
