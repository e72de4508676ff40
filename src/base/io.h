#pragma once

#include <dirent.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace packfs::base {

/// Every syscall PackFS makes, one method each: the one place where faults, crashes and old kernels can be put in.
///
/// Each method does exactly its syscall (no retry, no loop) and returns what the kernel does: a value of at least 0, or
/// a negated errno. The rules for retrying EINTR and short transfers are in io_loops.h.
/// Threads: an Io may be used by any number of threads at once.
class Io {
 public:
  virtual ~Io() = default;

  virtual int openat(int dirfd, const char* path, int flags, mode_t mode) = 0;
  virtual int openat2(int dirfd, const char* path, const open_how& how) = 0;
  virtual int close(int fd) = 0;
  virtual int dup(int fd) = 0;  ///< F_DUPFD_CLOEXEC

  virtual ssize_t read(int fd, void* buffer, std::size_t length) = 0;
  virtual ssize_t pread(int fd, void* buffer, std::size_t length, off_t offset) = 0;
  virtual ssize_t write(int fd, const void* buffer, std::size_t length) = 0;
  virtual ssize_t pwrite(int fd, const void* buffer, std::size_t length, off_t offset) = 0;
  virtual ssize_t writev(int fd, const iovec* pieces, int count) = 0;
  virtual off_t lseek(int fd, off_t offset, int whence) = 0;
  virtual int ftruncate(int fd, off_t length) = 0;
  virtual int fallocate(int fd, int mode, off_t offset, off_t length) = 0;
  virtual int fsync(int fd) = 0;
  virtual int fdatasync(int fd) = 0;
  /// Only begins to write what is dirty there (SYNC_FILE_RANGE_WRITE): a hint, which makes nothing durable.
  virtual int sync_file_range(int fd, off_t offset, off_t length) = 0;
  /// Locks the whole file for this open file description alone, or gives EAGAIN (F_OFD_SETLK, a write lock).
  virtual int try_lock(int fd) = 0;
  virtual ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t length) = 0;

  virtual int statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) = 0;
  virtual ssize_t getdents64(int fd, void* buffer, std::size_t length) = 0;
  virtual ssize_t readlinkat(int dirfd, const char* path, char* buffer, std::size_t length) = 0;

  virtual int mkdirat(int dirfd, const char* path, mode_t mode) = 0;
  virtual int mknodat(int dirfd, const char* path, mode_t mode, dev_t device) = 0;
  virtual int symlinkat(const char* target, int dirfd, const char* path) = 0;
  virtual int linkat(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, int flags) = 0;
  virtual int unlinkat(int dirfd, const char* path, int flags) = 0;
  virtual int renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) = 0;

  virtual int fchmod(int fd, mode_t mode) = 0;
  /// Never follows a symlink (fchmodat2 with AT_SYMLINK_NOFOLLOW, or EOPNOTSUPP where the kernel lacks it). An empty
  /// path means `dirfd` itself, which may have been opened with O_PATH.
  virtual int fchmodat(int dirfd, const char* path, mode_t mode) = 0;
  /// Never follows a symlink. An empty path means `dirfd` itself.
  virtual int fchownat(int dirfd, const char* path, uid_t uid, gid_t gid) = 0;
  /// Never follows a symlink. A null path means `dirfd` itself (futimens), an empty one too, which may have been opened
  /// with O_PATH.
  virtual int utimensat(int dirfd, const char* path, const timespec times[2]) = 0;

  virtual ssize_t flistxattr(int fd, char* list, std::size_t length) = 0;
  virtual ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t length) = 0;
  virtual int fsetxattr(int fd, const char* name, const void* value, std::size_t length) = 0;
  virtual int fremovexattr(int fd, const char* name) = 0;
  /// As above for a name in a directory, never following a symlink (getxattrat(2) and its kin, or lgetxattr(2) through
  /// /proc/self/fd where the kernel lacks them).
  virtual ssize_t listxattrat(int dirfd, const char* path, char* list, std::size_t length) = 0;
  virtual ssize_t getxattrat(int dirfd, const char* path, const char* name, void* value, std::size_t length) = 0;
  /// An empty path means `dirfd` itself, which may have been opened with O_PATH.
  virtual int setxattrat(int dirfd, const char* path, const char* name, const void* value, std::size_t length) = 0;

  /// Maps a file read-only and shared (fd >= 0), or fresh zero memory, private and unreserved (fd < 0).
  /// `*address` is the mapping's start.
  virtual int mmap(std::size_t length, int fd, off_t offset, void** address) = 0;
  virtual int munmap(void* address, std::size_t length) = 0;
  virtual int madvise(void* address, std::size_t length, int advice) = 0;
  virtual ssize_t getrandom(void* buffer, std::size_t length) = 0;
  virtual int isatty(int fd) = 0;  ///< 1 yes, 0 no
};

/// The kernel.
Io& system_io();

}  // namespace packfs::base
