#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace leveldb {
class DB;
class WriteBatch;
}  // namespace leveldb

namespace packfs::bench {

/// A new LevelDB database, written without sync: keys are paths, values contents. As it comes, but without compression:
/// 4 MiB write buffer.
class LevelStore {
 public:
  /// Its directory is removed before and in the end.
  explicit LevelStore(const std::string& path);
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

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  std::string path_;
  std::unique_ptr<leveldb::DB> database_;
  std::unique_ptr<leveldb::WriteBatch> batch_;
  mutable std::string value_;  // LevelDB hands a value out in a string
};

}  // namespace packfs::bench
