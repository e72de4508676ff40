#include "arms/sqlite_store.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "check.h"

namespace packfs::bench {
namespace {

void bind_path(sqlite3_stmt* statement, std::string_view path) {
  sqlite3_bind_text(statement, 1, path.data(), static_cast<int>(path.size()), nullptr);
}

void finish(sqlite3_stmt* statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail("SQLite: " + std::string(sqlite3_sql(statement)));
  sqlite3_reset(statement);
}

const char* journal_pragma(SqliteMode mode) {
  switch (mode) {
    case SqliteMode::not_synced:
      return "PRAGMA journal_mode=MEMORY";
    case SqliteMode::rollback:
      return "PRAGMA journal_mode=PERSIST";
    case SqliteMode::write_ahead:
      return "PRAGMA journal_mode=WAL";
  }
  return "";
}

}  // namespace

SqliteStore::SqliteStore(const std::string& path, SqliteMode mode, Lifetime lifetime)
    : path_(path), lifetime_(lifetime) {
  if (lifetime != Lifetime::found) remove_files();
  if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) fail("SQLite: open " + path);
  execute(mode == SqliteMode::not_synced ? "PRAGMA synchronous=OFF" : "PRAGMA synchronous=FULL");
  execute(journal_pragma(mode));
  if (lifetime != Lifetime::found) {
    execute("CREATE TABLE files (path TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID");
  }
  put_ = prepare("INSERT OR REPLACE INTO files VALUES (?1, ?2)");
  remove_ = prepare("DELETE FROM files WHERE path = ?1");
  get_ = prepare("SELECT content FROM files WHERE path = ?1");
}

SqliteStore::~SqliteStore() {
  for (sqlite3_stmt* statement : {put_, remove_, get_}) sqlite3_finalize(statement);
  sqlite3_close(database_);
  if (lifetime_ == Lifetime::passing) remove_files();
}

void SqliteStore::remove_files() const {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink((path_ + suffix).c_str());
}

void SqliteStore::execute(const char* statement) const {
  char* error = nullptr;
  if (sqlite3_exec(database_, statement, nullptr, nullptr, &error) != SQLITE_OK) {
    fail("SQLite: " + std::string(statement) + ": " + (error != nullptr ? error : ""));
  }
}

sqlite3_stmt* SqliteStore::prepare(const char* statement) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_, statement, -1, &prepared, nullptr) != SQLITE_OK) {
    fail("SQLite: " + std::string(statement));
  }
  return prepared;
}

void SqliteStore::put(std::string_view path, std::span<const std::byte> content) {
  bind_path(put_, path);
  sqlite3_bind_blob(put_, 2, content.data(), static_cast<int>(content.size()), nullptr);
  finish(put_);
}

void SqliteStore::remove(std::string_view path) {
  bind_path(remove_, path);
  finish(remove_);
}

std::size_t SqliteStore::read(std::string_view path, std::span<std::byte> buffer) const {
  bind_path(get_, path);
  std::size_t length = kMissing;
  if (sqlite3_step(get_) == SQLITE_ROW) {
    length = std::min<std::size_t>(static_cast<std::size_t>(sqlite3_column_bytes(get_, 0)), buffer.size());
    if (length != 0) std::memcpy(buffer.data(), sqlite3_column_blob(get_, 0), length);
  }
  sqlite3_reset(get_);
  return length;
}

bool SqliteStore::size(std::string_view path, std::uint64_t& bytes) const {
  bind_path(get_, path);
  const bool found = sqlite3_step(get_) == SQLITE_ROW;
  if (found) bytes = static_cast<std::uint64_t>(sqlite3_column_bytes(get_, 0));
  sqlite3_reset(get_);
  return found;
}

std::uint64_t SqliteStore::entries() const {
  sqlite3_stmt* statement = prepare("SELECT count(*) FROM files");
  if (sqlite3_step(statement) != SQLITE_ROW) fail("SQLite: count");
  const auto count = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return count;
}

}  // namespace packfs::bench
