#pragma once

#include <lmdb.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "corpus/corpus.h"

namespace packfs::bench {

/// The attributes in front of the content in an LMDB value.
struct LmdbHeader {
  std::uint32_t type = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_seconds = 0;
  std::uint32_t mtime_nanoseconds = 0;
  std::uint32_t reserved = 0;
};

/// Puts entries into a new LMDB file: the key is the path, the value LmdbHeader and content. Keys come in ascending
/// order and are appended, which packs the pages as full as LMDB can.
class LmdbWriter {
 public:
  explicit LmdbWriter(const std::string& path);
  ~LmdbWriter();
  LmdbWriter(const LmdbWriter&) = delete;
  LmdbWriter& operator=(const LmdbWriter&) = delete;

  void append(std::string_view path, const Status& status, std::span<const std::byte> content);
  void finish();

 private:
  void begin();

  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
  unsigned in_transaction_ = 0;
};

/// All of a corpus.
void write_lmdb(const Corpus& corpus, const std::string& path);

/// An LMDB file, read inside one read transaction.
class LmdbStore {
 public:
  explicit LmdbStore(const std::string& path);
  ~LmdbStore();
  LmdbStore(const LmdbStore&) = delete;
  LmdbStore& operator=(const LmdbStore&) = delete;

  /// Copies a file's content out; returns its length.
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    MDB_val value;
    if (!get(path, value)) return kMissing;
    const std::size_t length = std::min(value.mv_size - sizeof(LmdbHeader), buffer.size());
    std::memcpy(buffer.data(), static_cast<const std::byte*>(value.mv_data) + sizeof(LmdbHeader), length);
    return length;
  }

  /// False when it is not there.
  bool status(std::string_view path, Status& status) const {
    MDB_val value;
    if (!get(path, value)) return false;
    LmdbHeader header;
    std::memcpy(&header, value.mv_data, sizeof header);
    status = {.type = static_cast<FileType>(header.type),
              .mode = header.mode,
              .uid = header.uid,
              .gid = header.gid,
              .size = header.size,
              .mtime = {header.mtime_seconds, header.mtime_nanoseconds}};
    return true;
  }

  /// Every path, in one sweep of a cursor: each directory's names come in order.
  template <class Visit>
  void list_all(Visit&& visit) const {
    MDB_val key;
    MDB_val value;
    for (int ended = mdb_cursor_get(cursor_, &key, &value, MDB_FIRST); ended == 0;
         ended = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT)) {
      visit(std::string_view(static_cast<const char*>(key.mv_data), key.mv_size));
    }
  }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  bool get(std::string_view path, MDB_val& value) const {
    MDB_val key{path.size(), const_cast<char*>(path.data())};
    return mdb_get(transaction_, table_, &key, &value) == 0;
  }

  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
  MDB_cursor* cursor_ = nullptr;
};

}  // namespace packfs::bench
