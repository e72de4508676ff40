#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "arms/lifetime.h"
#include "arms/raw_tree.h"

namespace packfs::bench {

/// Host files made durable one by one: create, write, fsync, close, then fsync of the directory, which is held open.
/// Paths are DIRECTORY/FILE and end with a NUL. Threads: put() from any.
class SyncedHostStore {
 public:
  SyncedHostStore(const std::string& directory, Lifetime lifetime);
  ~SyncedHostStore();
  SyncedHostStore(const SyncedHostStore&) = delete;
  SyncedHostStore& operator=(const SyncedHostStore&) = delete;

  void make_directory(std::string_view path);
  void put(std::string_view path, std::span<const std::byte> content) const;
  void begin() noexcept {}
  void commit() noexcept {}
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const { return tree_.read(path, buffer); }
  /// Files and directories; walks all of it.
  [[nodiscard]] std::uint64_t entries() const;

  static constexpr std::size_t kMissing = RawTree::kMissing;

 private:
  std::string root_;
  Lifetime lifetime_;
  RawTree tree_;
  std::map<std::string, int, std::less<>> directories_;  // by name: their descriptors
};

}  // namespace packfs::bench
