#pragma once

#include <lmdb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"

namespace packfs::bench {

/// How much an LMDB environment asks of the disk with each commit.
enum class LmdbMode : std::uint8_t {
  synced,         ///< fdatasync
  not_synced,     ///< MDB_NOSYNC: written with pwrite
  mapped_writes,  ///< MDB_WRITEMAP | MDB_NOSYNC: written into the mapping
};

/// An LMDB environment that is written and read: keys are paths, values LmdbHeader and content. put() and remove()
/// outside begin() and commit() are transactions of their own. Threads: those of their own from any; others from one.
class LmdbLive {
 public:
  LmdbLive(const std::string& path, LmdbMode mode, Lifetime lifetime = Lifetime::passing);
  ~LmdbLive();
  LmdbLive(const LmdbLive&) = delete;
  LmdbLive& operator=(const LmdbLive&) = delete;

  void make_directory(std::string_view path) { put(path, {}); }
  void put(std::string_view path, std::span<const std::byte> content);
  void remove(std::string_view path);
  void begin();
  void commit();
  /// Files and directories.
  [[nodiscard]] std::uint64_t entries() const;

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  friend class LmdbReader;
  void put_in(MDB_txn* transaction, std::string_view path, std::span<const std::byte> content) const;

  std::string path_;
  Lifetime lifetime_;
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;  // between begin() and commit()
  MDB_dbi table_ = 0;
};

/// Reads in one transaction, or in a new one for each call. For one thread at a time.
class LmdbReader {
 public:
  enum class Transactions : bool { one, one_for_each_read };
  LmdbReader(const LmdbLive& store, Transactions transactions);
  ~LmdbReader();
  LmdbReader(const LmdbReader&) = delete;
  LmdbReader& operator=(const LmdbReader&) = delete;

  std::size_t read(std::string_view path, std::span<std::byte> buffer) const;
  bool size(std::string_view path, std::uint64_t& bytes) const;

 private:
  bool get(std::string_view path, MDB_val& value) const;
  void leave() const noexcept {
    if (for_each_) mdb_txn_reset(transaction_);
  }

  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_;
  bool for_each_;
};

}  // namespace packfs::bench
