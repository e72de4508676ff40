#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"
#include "check.h"
#include "corpus/corpus.h"
#include "packfs/volume.h"

namespace packfs::bench {

/// A volume. As all live stores: put() and remove() are a transaction of their own each, or part of one between begin()
/// and commit(). Threads: any, outside a transaction.
class VolumeStore {
 public:
  /// In memory.
  VolumeStore() : volume_(must(Volume::memory(), "memory volume")) {}
  /// On disk, each transaction durable when it is committed. `lifetime` is kept or found.
  VolumeStore(const std::string& directory, Lifetime lifetime) : volume_(opened(directory, lifetime)) {}

  void make_directory(std::string_view path) { must(writer().make_directory(path), "make directory"); }
  void put(std::string_view path, std::span<const std::byte> content) { must(writer().write(path, content), "write"); }
  void remove(std::string_view path) { must(writer().unlink(path), "unlink"); }
  void begin() { transaction_.emplace(must(volume_.begin(), "begin")); }
  void commit() {
    must(transaction_->commit(), "commit");
    transaction_.reset();
  }

  /// Copies a file's content out; returns its length.
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    const Result<std::size_t> length = volume_.read(path, buffer);
    return length ? *length : kMissing;
  }
  /// Of the status only the size, which all live stores have.
  bool size(std::string_view path, std::uint64_t& bytes) const {
    const Result<Stat> found = volume_.stat(path);
    if (found) bytes = found->size;
    return found.has_value();
  }
  /// Files and directories.
  [[nodiscard]] std::uint64_t entries() const { return must(volume_.totals(), "totals").entries; }
  [[nodiscard]] Volume& volume() noexcept { return volume_; }
  [[nodiscard]] const Volume& volume() const noexcept { return volume_; }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  static Volume opened(const std::string& directory, Lifetime lifetime) {
    StoreOptions options;
    options.create = lifetime != Lifetime::found;
    if (options.create) std::filesystem::remove_all(directory);
    return must(Volume::open(directory, options), "open " + directory);
  }
  Writable& writer() noexcept {
    if (transaction_) return *transaction_;
    return volume_;
  }

  Volume volume_;
  std::optional<Transaction> transaction_;
};

/// What a VolumeStore held at one moment, read through one Snapshot: what a read transaction is to others.
class SnapshotStore {
 public:
  explicit SnapshotStore(const VolumeStore& store) : snapshot_(store.volume().snapshot()) {}

  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    const Result<std::size_t> length = snapshot_.read(path, buffer);
    return length ? *length : VolumeStore::kMissing;
  }
  bool size(std::string_view path, std::uint64_t& bytes) const {
    const Result<Stat> found = snapshot_.stat(path);
    if (found) bytes = found->size;
    return found.has_value();
  }
  template <class Visit>
  void list_all(std::span<const std::string> directories, Visit&& visit) const {
    for (const std::string& directory : directories) {
      for (const Result<Entry>& entry : snapshot_.list(directory)) {
        if (!entry) fail("list " + directory + ": " + entry.error().message());
        visit(entry->name());
      }
    }
  }

 private:
  Snapshot snapshot_;
};

}  // namespace packfs::bench
