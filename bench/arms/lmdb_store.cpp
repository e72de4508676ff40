#include "arms/lmdb_store.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "check.h"

namespace packfs::bench {

namespace {

constexpr std::size_t kMapBytes = std::size_t{16} << 30;
constexpr unsigned kEntriesInTransaction = 200'000;

void must_lmdb(int error, std::string_view what) {
  if (error != 0) fail("LMDB: " + std::string(what) + ": " + mdb_strerror(error));
}

}  // namespace

LmdbWriter::LmdbWriter(const std::string& path) {
  unlink(path.c_str());
  must_lmdb(mdb_env_create(&environment_), "create");
  must_lmdb(mdb_env_set_mapsize(environment_, kMapBytes), "map size");
  must_lmdb(mdb_env_open(environment_, path.c_str(), MDB_NOSUBDIR | MDB_NOSYNC, 0644), "open");
  begin();
}

LmdbWriter::~LmdbWriter() { mdb_env_close(environment_); }

void LmdbWriter::begin() {
  must_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction_), "begin");
  must_lmdb(mdb_dbi_open(transaction_, nullptr, 0, &table_), "open table");
}

void LmdbWriter::append(std::string_view path, const Status& status, std::span<const std::byte> content) {
  const LmdbHeader header{.type = static_cast<std::uint32_t>(status.type),
                          .mode = status.mode,
                          .uid = status.uid,
                          .gid = status.gid,
                          .size = status.size,
                          .mtime_seconds = status.mtime.seconds,
                          .mtime_nanoseconds = status.mtime.nanoseconds};
  MDB_val key{path.size(), const_cast<char*>(path.data())};
  MDB_val value{sizeof header + content.size(), nullptr};
  must_lmdb(mdb_put(transaction_, table_, &key, &value, MDB_APPEND | MDB_RESERVE), "put");
  std::memcpy(value.mv_data, &header, sizeof header);
  if (!content.empty())
    std::memcpy(static_cast<std::byte*>(value.mv_data) + sizeof header, content.data(), content.size());
  if (++in_transaction_ < kEntriesInTransaction) return;
  finish();
  begin();
}

void LmdbWriter::finish() {
  must_lmdb(mdb_txn_commit(transaction_), "commit");
  in_transaction_ = 0;
}

void write_lmdb(const Corpus& corpus, const std::string& path) {
  std::vector<std::pair<std::string_view, const CorpusFile*>> keys;
  keys.reserve(corpus.entries());
  for (const std::string& directory : corpus.directories) keys.emplace_back(directory, nullptr);
  for (const CorpusFile& file : corpus.files) keys.emplace_back(file.path, &file);
  std::ranges::sort(keys);
  LmdbWriter writer(path);
  for (const auto& [key, file] : keys) {
    if (file == nullptr) {
      writer.append(key, directory_status(), {});
    } else {
      writer.append(key, status_of(*file), content_of(*file));
    }
  }
  writer.finish();
}

LmdbStore::LmdbStore(const std::string& path) {
  must_lmdb(mdb_env_create(&environment_), "create");
  must_lmdb(mdb_env_set_mapsize(environment_, kMapBytes), "map size");
  must_lmdb(mdb_env_open(environment_, path.c_str(), MDB_NOSUBDIR | MDB_RDONLY, 0644), "open");
  must_lmdb(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_), "begin");
  must_lmdb(mdb_dbi_open(transaction_, nullptr, 0, &table_), "open table");
  must_lmdb(mdb_cursor_open(transaction_, table_, &cursor_), "cursor");
}

LmdbStore::~LmdbStore() {
  mdb_cursor_close(cursor_);
  mdb_txn_abort(transaction_);
  mdb_env_close(environment_);
}

}  // namespace packfs::bench
