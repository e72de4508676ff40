#include "arms/level_store.h"

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "check.h"

namespace packfs::bench {
namespace {

leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
leveldb::Slice slice(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void must_level(const leveldb::Status& status) {
  if (!status.ok()) fail("LevelDB: " + status.ToString());
}

}  // namespace

LevelStore::LevelStore(const std::string& path, LevelMode mode, Lifetime lifetime)
    : path_(path), lifetime_(lifetime), synced_(mode == LevelMode::synced) {
  if (lifetime != Lifetime::found) std::filesystem::remove_all(path);
  leveldb::Options options;
  options.create_if_missing = lifetime != Lifetime::found;
  options.compression = leveldb::kNoCompression;
  leveldb::DB* database = nullptr;
  must_level(leveldb::DB::Open(options, path, &database));
  database_.reset(database);
}

LevelStore::~LevelStore() {
  database_.reset();
  if (lifetime_ != Lifetime::passing) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void LevelStore::put(std::string_view path, std::span<const std::byte> content) {
  if (batch_) {
    batch_->Put(slice(path), slice(content));
  } else {
    leveldb::WriteOptions options;
    options.sync = synced_;
    must_level(database_->Put(options, slice(path), slice(content)));
  }
}

void LevelStore::remove(std::string_view path) { must_level(database_->Delete({}, slice(path))); }

void LevelStore::begin() { batch_ = std::make_unique<leveldb::WriteBatch>(); }

void LevelStore::commit() {
  leveldb::WriteOptions options;
  options.sync = synced_;
  must_level(database_->Write(options, batch_.get()));
  batch_.reset();
}

std::size_t LevelStore::read(std::string_view path, std::span<std::byte> buffer) const {
  if (!database_->Get({}, slice(path), &value_).ok()) return kMissing;
  const std::size_t length = std::min(value_.size(), buffer.size());
  std::memcpy(buffer.data(), value_.data(), length);
  return length;
}

bool LevelStore::size(std::string_view path, std::uint64_t& bytes) const {
  if (!database_->Get({}, slice(path), &value_).ok()) return false;
  bytes = value_.size();
  return true;
}

std::uint64_t LevelStore::entries() const {
  const std::unique_ptr<leveldb::Iterator> each(database_->NewIterator({}));
  std::uint64_t count = 0;
  for (each->SeekToFirst(); each->Valid(); each->Next()) ++count;
  return count;
}

}  // namespace packfs::bench
