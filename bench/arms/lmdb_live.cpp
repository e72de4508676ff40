#include "arms/lmdb_live.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "arms/lmdb_store.h"
#include "check.h"

namespace packfs::bench {
namespace {

constexpr std::size_t kMapBytes = std::size_t{4} << 30;

void must_lmdb(int error, std::string_view what) {
  if (error != 0) fail("LMDB: " + std::string(what) + ": " + mdb_strerror(error));
}

unsigned flags_of(LmdbMode mode) {
  switch (mode) {
    case LmdbMode::synced:
      return 0;
    case LmdbMode::not_synced:
      return MDB_NOSYNC;
    case LmdbMode::mapped_writes:
      return MDB_NOSYNC | MDB_WRITEMAP;
  }
  return 0;
}

MDB_val value_of(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }

}  // namespace

LmdbLive::LmdbLive(const std::string& path, LmdbMode mode, Lifetime lifetime) : path_(path), lifetime_(lifetime) {
  if (lifetime != Lifetime::found) unlink(path.c_str());
  must_lmdb(mdb_env_create(&environment_), "create");
  must_lmdb(mdb_env_set_mapsize(environment_, kMapBytes), "map size");
  must_lmdb(mdb_env_open(environment_, path.c_str(), MDB_NOSUBDIR | MDB_NOTLS | flags_of(mode), 0644), "open");
  MDB_txn* transaction = nullptr;
  must_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction), "begin");
  must_lmdb(mdb_dbi_open(transaction, nullptr, 0, &table_), "open table");
  must_lmdb(mdb_txn_commit(transaction), "commit");
}

LmdbLive::~LmdbLive() {
  mdb_env_close(environment_);
  if (lifetime_ != Lifetime::passing) return;
  unlink(path_.c_str());
  unlink((path_ + "-lock").c_str());
}

void LmdbLive::put_in(MDB_txn* transaction, std::string_view path, std::span<const std::byte> content) const {
  const LmdbHeader header{.type = 1, .mode = 0644, .size = content.size()};
  MDB_val key = value_of(path);
  MDB_val value{sizeof header + content.size(), nullptr};
  must_lmdb(mdb_put(transaction, table_, &key, &value, MDB_RESERVE), "put");
  std::memcpy(value.mv_data, &header, sizeof header);
  if (!content.empty()) {
    std::memcpy(static_cast<std::byte*>(value.mv_data) + sizeof header, content.data(), content.size());
  }
}

void LmdbLive::put(std::string_view path, std::span<const std::byte> content) {
  if (transaction_ != nullptr) return put_in(transaction_, path, content);
  MDB_txn* transaction = nullptr;
  must_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction), "begin");
  put_in(transaction, path, content);
  must_lmdb(mdb_txn_commit(transaction), "commit");
}

void LmdbLive::remove(std::string_view path) {
  MDB_txn* transaction = nullptr;
  must_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction), "begin");
  MDB_val key = value_of(path);
  must_lmdb(mdb_del(transaction, table_, &key, nullptr), "delete");
  must_lmdb(mdb_txn_commit(transaction), "commit");
}

void LmdbLive::begin() { must_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction_), "begin"); }

void LmdbLive::commit() {
  must_lmdb(mdb_txn_commit(transaction_), "commit");
  transaction_ = nullptr;
}

std::uint64_t LmdbLive::entries() const {
  MDB_stat found;
  must_lmdb(mdb_env_stat(environment_, &found), "stat");
  return found.ms_entries;
}

LmdbReader::LmdbReader(const LmdbLive& store, Transactions transactions)
    : table_(store.table_), for_each_(transactions == Transactions::one_for_each_read) {
  must_lmdb(mdb_txn_begin(store.environment_, nullptr, MDB_RDONLY, &transaction_), "begin");
  leave();
}

LmdbReader::~LmdbReader() { mdb_txn_abort(transaction_); }

bool LmdbReader::get(std::string_view path, MDB_val& value) const {
  if (for_each_) must_lmdb(mdb_txn_renew(transaction_), "renew");
  MDB_val key = value_of(path);
  return mdb_get(transaction_, table_, &key, &value) == 0;
}

std::size_t LmdbReader::read(std::string_view path, std::span<std::byte> buffer) const {
  MDB_val value;
  const bool found = get(path, value);
  std::size_t length = LmdbLive::kMissing;
  if (found) {
    length = std::min(value.mv_size - sizeof(LmdbHeader), buffer.size());
    std::memcpy(buffer.data(), static_cast<const std::byte*>(value.mv_data) + sizeof(LmdbHeader), length);
  }
  leave();
  return length;
}

bool LmdbReader::size(std::string_view path, std::uint64_t& bytes) const {
  MDB_val value;
  const bool found = get(path, value);
  if (found) {
    LmdbHeader header;
    std::memcpy(&header, value.mv_data, sizeof header);
    bytes = header.size;
  }
  leave();
  return found;
}

}  // namespace packfs::bench
