#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"

namespace packfs::testing {

/// An Io in front of another: records every call, and makes chosen ones fail, fall short, or run a hook first.
///
///   FaultIo io(base::system_io());
///   io.fail({.call = "pwrite", .nth = 3}, ENOSPC);               // the third pwrite from now on, once
///   io.fail({.nth = n, .for_ever = true}, EIO);                  // the n-th call of any kind and all after it
///   io.shorten({.call = "read", .for_ever = true}, 1);           // every read moves one byte at most
///   io.before({.call = "openat", .path = "a"}, [] { ... });      // change the world just before
///
/// Threads: any, all at once. Hooks run on the thread that makes the call, without a lock held.
class FaultIo : public base::Io {
 public:
  /// One call as it was made.
  struct Call {
    std::string_view name;    ///< the method's
    int fd = -1;              ///< the descriptor or directory (of two: the first); -1 when there is none
    std::string path;         ///< of two: the first; empty when there is none
    std::int64_t result = 0;  ///< what the caller saw
    bool injected = false;    ///< it failed or fell short on purpose
  };

  /// Which call is meant: the `nth` (from 1), counted from when this is given, among those that match.
  struct When {
    std::string_view call = {};  ///< method's name; empty: any
    std::uint64_t nth = 1;
    bool for_ever = false;  ///< that call and each matching one after it
    std::string path = {};  ///< when not empty: only calls on exactly this path
  };

  /// `inner` is borrowed.
  explicit FaultIo(base::Io& inner) : inner_(inner) {}

  /// The call returns -`error_number` and is not made. (A failing close() closes all the same, as Linux does.)
  void fail(const When& when, int error_number);
  /// The call moves at most `bytes`; with 0 it returns 0 and is not made. For read, pread, write, pwrite, writev,
  /// copy_file_range, readlinkat and getrandom.
  void shorten(const When& when, std::size_t bytes);
  void before(const When& when, std::function<void()> hook);
  /// Forgets all faults and hooks.
  void heal();

  [[nodiscard]] std::vector<Call> log() const;
  /// Calls made so far, of one name or (empty) of all.
  [[nodiscard]] std::uint64_t count(std::string_view name = {}) const;
  /// Forgets the recorded calls.
  void clear_log();
  /// True when a fault of fail() or shorten() has struck since it was given.
  [[nodiscard]] bool struck() const;
  /// Descriptors opened through this and not closed yet, and the most there ever were at once.
  [[nodiscard]] std::size_t open_descriptors() const;
  [[nodiscard]] std::size_t most_open_descriptors() const;

  int openat(int dirfd, const char* path, int flags, mode_t mode) override;
  int openat2(int dirfd, const char* path, const open_how& how) override;
  int close(int fd) override;
  int dup(int fd) override;
  ssize_t read(int fd, void* buffer, std::size_t length) override;
  ssize_t pread(int fd, void* buffer, std::size_t length, off_t offset) override;
  ssize_t write(int fd, const void* buffer, std::size_t length) override;
  ssize_t pwrite(int fd, const void* buffer, std::size_t length, off_t offset) override;
  ssize_t writev(int fd, const iovec* pieces, int count) override;
  off_t lseek(int fd, off_t offset, int whence) override;
  int ftruncate(int fd, off_t length) override;
  int fallocate(int fd, int mode, off_t offset, off_t length) override;
  int fsync(int fd) override;
  int fdatasync(int fd) override;
  int sync_file_range(int fd, off_t offset, off_t length) override;
  int try_lock(int fd) override;
  ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t length) override;
  int statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) override;
  ssize_t getdents64(int fd, void* buffer, std::size_t length) override;
  ssize_t readlinkat(int dirfd, const char* path, char* buffer, std::size_t length) override;
  int mkdirat(int dirfd, const char* path, mode_t mode) override;
  int mknodat(int dirfd, const char* path, mode_t mode, dev_t device) override;
  int symlinkat(const char* target, int dirfd, const char* path) override;
  int linkat(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, int flags) override;
  int unlinkat(int dirfd, const char* path, int flags) override;
  int renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) override;
  int fchmod(int fd, mode_t mode) override;
  int fchmodat(int dirfd, const char* path, mode_t mode) override;
  int fchownat(int dirfd, const char* path, uid_t uid, gid_t gid) override;
  int utimensat(int dirfd, const char* path, const timespec times[2]) override;
  ssize_t flistxattr(int fd, char* list, std::size_t length) override;
  ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t length) override;
  int fsetxattr(int fd, const char* name, const void* value, std::size_t length) override;
  int fremovexattr(int fd, const char* name) override;
  ssize_t listxattrat(int dirfd, const char* path, char* list, std::size_t length) override;
  ssize_t getxattrat(int dirfd, const char* path, const char* name, void* value, std::size_t length) override;
  int setxattrat(int dirfd, const char* path, const char* name, const void* value, std::size_t length) override;
  int mmap(std::size_t length, int fd, off_t offset, void** address) override;
  int munmap(void* address, std::size_t length) override;
  int madvise(void* address, std::size_t length, int advice) override;
  ssize_t getrandom(void* buffer, std::size_t length) override;
  int isatty(int fd) override;

 private:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  struct Rule {
    When when;
    std::string call;  // owns what when.call named
    int error_number = 0;
    std::size_t limit = kNoLimit;
    std::function<void()> hook;
    std::uint64_t seen = 0;
  };
  struct Verdict {
    int error_number = 0;
    std::size_t limit = kNoLimit;
    std::vector<std::function<void()>> hooks;
  };

  void add(Rule rule);
  Verdict judge(const Call& call);
  void finish(Call call);
  template <class Make>
  auto transfer(std::string_view name, int fd, const char* path, std::size_t length, Make make);
  template <class Make>
  auto plain(std::string_view name, int fd, const char* path, Make make);

  base::Io& inner_;
  mutable std::mutex mutex_;
  std::vector<Rule> rules_;
  std::vector<Call> log_;
  std::set<int> open_;
  std::size_t most_open_ = 0;
  bool struck_ = false;
};

}  // namespace packfs::testing
