#pragma once

#include <cstddef>
#include <span>

#include "base/io.h"

namespace packfs::testing {

/// One read-only regular file that lies in memory, and no other: for what opens a pack many thousand times. Mappings
/// are blocks of exactly their length from the heap, so a sanitizer sees every byte read outside them. What is not
/// needed to read a pack gives ENOSYS. Borrows the bytes. Threads: any.
class MemoryIo final : public base::Io {
 public:
  static constexpr int kDescriptor = 1000;

  explicit MemoryIo(std::span<const std::byte> file) noexcept : file_(file) {}

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
  std::span<const std::byte> file_;
};

}  // namespace packfs::testing
