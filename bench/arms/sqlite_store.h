#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace packfs::bench {

/// A new SQLite database with one table, path and content, clustered by path (WITHOUT ROWID); synchronous=OFF, the
/// rollback journal in memory, prepared statements.
class SqliteStore {
 public:
  /// Its file is removed before and in the end.
  explicit SqliteStore(const std::string& path);
  ~SqliteStore();
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content);
  void remove(std::string_view path);
  void begin() { execute("BEGIN IMMEDIATE"); }
  void commit() { execute("COMMIT"); }
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const;
  bool size(std::string_view path, std::uint64_t& bytes) const;

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  void execute(const char* statement) const;
  sqlite3_stmt* prepare(const char* statement) const;

  std::string path_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* remove_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
};

}  // namespace packfs::bench
