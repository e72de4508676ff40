#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"

namespace packfs::bench {

/// How an SQLite database commits.
enum class SqliteMode : std::uint8_t {
  not_synced,   ///< synchronous=OFF, the rollback journal in memory
  rollback,     ///< synchronous=FULL, journal_mode=PERSIST: the cheapest that keeps a rollback journal on disk
  write_ahead,  ///< synchronous=FULL, journal_mode=WAL
};

/// An SQLite database with one table, path and content, clustered by path (WITHOUT ROWID); prepared statements.
class SqliteStore {
 public:
  explicit SqliteStore(const std::string& path, SqliteMode mode = SqliteMode::not_synced,
                       Lifetime lifetime = Lifetime::passing);
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
  /// Files and directories; looks at each.
  [[nodiscard]] std::uint64_t entries() const;

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  void execute(const char* statement) const;
  sqlite3_stmt* prepare(const char* statement) const;

  void remove_files() const;

  std::string path_;
  Lifetime lifetime_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* remove_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
};

}  // namespace packfs::bench
