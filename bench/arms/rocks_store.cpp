#include "arms/rocks_store.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "check.h"

namespace packfs::bench {
namespace {

rocksdb::Slice rocks_slice(std::string_view text) { return {text.data(), text.size()}; }
rocksdb::Slice rocks_slice(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void must_rocks(const rocksdb::Status& status) {
  if (!status.ok()) fail("RocksDB: " + status.ToString());
}

rocksdb::WriteOptions synced_writes() {
  rocksdb::WriteOptions options;
  options.sync = true;
  return options;
}

}  // namespace

RocksStore::RocksStore(const std::string& path, Lifetime lifetime) : path_(path), lifetime_(lifetime) {
  if (lifetime != Lifetime::found) std::filesystem::remove_all(path);
  rocksdb::Options options;
  options.create_if_missing = lifetime != Lifetime::found;
  options.compression = rocksdb::kNoCompression;
  rocksdb::DB* database = nullptr;
  must_rocks(rocksdb::DB::Open(options, path, &database));
  database_.reset(database);
}

RocksStore::~RocksStore() {
  database_.reset();
  if (lifetime_ != Lifetime::passing) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void RocksStore::put(std::string_view path, std::span<const std::byte> content) {
  if (batch_) {
    must_rocks(batch_->Put(rocks_slice(path), rocks_slice(content)));
  } else {
    must_rocks(database_->Put(synced_writes(), rocks_slice(path), rocks_slice(content)));
  }
}

void RocksStore::begin() { batch_ = std::make_unique<rocksdb::WriteBatch>(); }

void RocksStore::commit() {
  must_rocks(database_->Write(synced_writes(), batch_.get()));
  batch_.reset();
}

std::size_t RocksStore::read(std::string_view path, std::span<std::byte> buffer) const {
  rocksdb::PinnableSlice value;
  if (!database_->Get({}, database_->DefaultColumnFamily(), rocks_slice(path), &value).ok()) return kMissing;
  const std::size_t length = std::min(value.size(), buffer.size());
  std::memcpy(buffer.data(), value.data(), length);
  return length;
}

std::uint64_t RocksStore::entries() const {
  const std::unique_ptr<rocksdb::Iterator> each(database_->NewIterator({}));
  std::uint64_t count = 0;
  for (each->SeekToFirst(); each->Valid(); each->Next()) ++count;
  return count;
}

}  // namespace packfs::bench
