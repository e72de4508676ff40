#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/fault_io.h"

namespace packfs::testing {

/// What became of what was not synced.
enum class Damage : std::uint8_t {
  all_lost,
  all_kept,
  names_kept,  ///< all names, of contents nothing
  bytes_kept,  ///< all contents, of names nothing
  sectors,     ///< each write torn at multiples of 512 bytes, some of them lost
  bytes,       ///< each write torn anywhere
  zeroed,      ///< each write's place is there, but zero
  grown,       ///< files have their sizes, but not what was written
  last_kept,   ///< only the last change of each file
  first_lost,  ///< all but the first change of each file
  random,      ///< any of these for each change by itself
};
inline constexpr std::uint64_t kDamages = 11;

/// The files of one flat directory, on the real one at `root` (which exists), and beside them what a disk holds: what
/// was synced, and in which order what was not. So the directory can be made as a machine may find it that lost power.
///
/// A file's bytes and size are durable when it was synced, its name when the directory was. Each change of a file that
/// was not synced (a write, a new size) and each change of a name (made, renamed, removed) is kept or lost by itself; a
/// write may be torn besides. A rename is one change. After a sync that failed, what it was to write is lost on the
/// disk, though it can be read until power goes. Threads: any.
class RecordedDisk final : public FaultIo {
 public:
  explicit RecordedDisk(std::string root);

  /// The n-th change or sync from now on, and all after it, fail with EIO and do nothing: the process has died.
  void die_at(std::uint64_t n);
  /// The n-th sync from now on fails with EIO; `for_ever`: each one after it too.
  void fail_sync_at(std::uint64_t n, bool for_ever);
  /// Changes and syncs so far.
  [[nodiscard]] std::uint64_t changes() const;

  /// Makes the directory `at` as a machine may find this one's after a crash now.
  void crash(const std::string& at, Damage damage, std::uint64_t seed) const;

  int openat(int dirfd, const char* path, int flags, mode_t mode) override;
  int close(int fd) override;
  ssize_t pwrite(int fd, const void* buffer, std::size_t length, off_t offset) override;
  int ftruncate(int fd, off_t length) override;
  int fallocate(int fd, int mode, off_t offset, off_t length) override;
  int fsync(int fd) override;
  int fdatasync(int fd) override;
  int unlinkat(int dirfd, const char* path, int flags) override;
  int renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) override;

 private:
  using Bytes = std::vector<std::byte>;
  /// Of a file: bytes at an offset, or (none) a size that it has from then on.
  struct Change {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    Bytes bytes;
  };
  struct File {
    Bytes durable;
    std::vector<Change> pending;
    std::uint64_t size = 0;
    std::uint64_t written = 0;  // behind it there are zeros only
  };
  enum class What : std::uint8_t { made, renamed, removed };
  struct NameChange {
    What what{};
    std::string name;
    std::string to;
    std::size_t file = 0;
  };
  static constexpr std::size_t kDirectory = SIZE_MAX;

  bool dies();
  int synced(int fd, bool data_only);
  void sync_model(int fd);
  static void apply(Bytes& bytes, const Change& change);
  static void damage(Bytes& bytes, const Change& change, Damage kind, std::mt19937_64& random);
  [[nodiscard]] std::map<std::string, std::size_t> names_after(Damage kind, std::mt19937_64& random) const;
  [[nodiscard]] Bytes bytes_after(const File& file, Damage kind, std::mt19937_64& random) const;

  std::string root_;
  mutable std::mutex mutex_;
  std::vector<File> files_;
  std::map<int, std::size_t> open_;  // descriptors
  std::map<std::string, std::size_t> names_;
  std::map<std::string, std::size_t> durable_names_;
  std::vector<NameChange> name_changes_;
  std::uint64_t changes_ = 0;
  std::uint64_t syncs_ = 0;
  std::uint64_t die_at_ = UINT64_MAX;
  std::uint64_t fail_sync_at_ = UINT64_MAX;
  bool fail_for_ever_ = false;
};

}  // namespace packfs::testing
