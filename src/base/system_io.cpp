#include "base/system_io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "base/through_handle.h"

namespace packfs::base {

namespace {

template <class T>
T returned(T result) noexcept {
  return result < 0 ? static_cast<T>(-errno) : result;
}

// For syscalls that glibc has no wrapper for, or wraps with a silent fallback.
template <class T, class... Arguments>
T raw(long number, Arguments... arguments) noexcept {
  return returned(static_cast<T>(::syscall(number, arguments...)));
}

// The same number on every architecture PackFS builds for; headers older than Linux 6.6 do not name it.
#ifdef SYS_fchmodat2
constexpr long kFchmodat2 = SYS_fchmodat2;
#else
constexpr long kFchmodat2 = 452;
#endif

}  // namespace

SystemIo::SystemIo(Kernel kernel) noexcept
    : lacks_fchmodat2_(kernel == Kernel::old), lacks_xattrat_(kernel == Kernel::old) {}

int SystemIo::openat(int dirfd, const char* path, int flags, mode_t mode) {
  return returned(::openat(dirfd, path, flags, mode));
}
int SystemIo::openat2(int dirfd, const char* path, const open_how& how) {
  return raw<int>(SYS_openat2, dirfd, path, &how, sizeof how);
}
int SystemIo::close(int fd) { return returned(::close(fd)); }
int SystemIo::dup(int fd) { return returned(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

ssize_t SystemIo::read(int fd, void* buffer, std::size_t length) { return returned(::read(fd, buffer, length)); }
ssize_t SystemIo::pread(int fd, void* buffer, std::size_t length, off_t offset) {
  return returned(::pread(fd, buffer, length, offset));
}
ssize_t SystemIo::write(int fd, const void* buffer, std::size_t length) {
  return returned(::write(fd, buffer, length));
}
ssize_t SystemIo::pwrite(int fd, const void* buffer, std::size_t length, off_t offset) {
  return returned(::pwrite(fd, buffer, length, offset));
}
ssize_t SystemIo::writev(int fd, const iovec* pieces, int count) { return returned(::writev(fd, pieces, count)); }
off_t SystemIo::lseek(int fd, off_t offset, int whence) { return returned(::lseek(fd, offset, whence)); }
int SystemIo::ftruncate(int fd, off_t length) { return returned(::ftruncate(fd, length)); }
int SystemIo::fallocate(int fd, int mode, off_t offset, off_t length) {
  return returned(::fallocate(fd, mode, offset, length));
}
int SystemIo::fsync(int fd) { return returned(::fsync(fd)); }
int SystemIo::fdatasync(int fd) { return returned(::fdatasync(fd)); }
int SystemIo::sync_file_range(int fd, off_t offset, off_t length) {
  return returned(::sync_file_range(fd, offset, length, SYNC_FILE_RANGE_WRITE));
}
int SystemIo::try_lock(int fd) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return returned(::fcntl(fd, F_OFD_SETLK, &whole));
}
ssize_t SystemIo::copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t length) {
  return returned(::copy_file_range(in, in_offset, out, out_offset, length, 0));
}

int SystemIo::statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) {
  return raw<int>(SYS_statx, dirfd, path, flags, mask, out);
}
ssize_t SystemIo::getdents64(int fd, void* buffer, std::size_t length) {
  return returned(::getdents64(fd, buffer, length));
}
ssize_t SystemIo::readlinkat(int dirfd, const char* path, char* buffer, std::size_t length) {
  return returned(::readlinkat(dirfd, path, buffer, length));
}

int SystemIo::mkdirat(int dirfd, const char* path, mode_t mode) { return returned(::mkdirat(dirfd, path, mode)); }
int SystemIo::mknodat(int dirfd, const char* path, mode_t mode, dev_t device) {
  return returned(::mknodat(dirfd, path, mode, device));
}
int SystemIo::symlinkat(const char* target, int dirfd, const char* path) {
  return returned(::symlinkat(target, dirfd, path));
}
int SystemIo::linkat(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, int flags) {
  return returned(::linkat(old_dirfd, old_path, new_dirfd, new_path, flags));
}
int SystemIo::unlinkat(int dirfd, const char* path, int flags) { return returned(::unlinkat(dirfd, path, flags)); }
int SystemIo::renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) {
  return returned(::renameat2(old_dirfd, old_path, new_dirfd, new_path, flags));
}

int SystemIo::fchmod(int fd, mode_t mode) { return returned(::fchmod(fd, mode)); }
int SystemIo::fchmodat(int dirfd, const char* path, mode_t mode) {
  if (!lacks_fchmodat2_.load(std::memory_order_relaxed)) {
    const int result = raw<int>(kFchmodat2, dirfd, path, mode, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH);
    if (result != -ENOSYS) return result;
    lacks_fchmodat2_.store(true, std::memory_order_relaxed);
  }
  if (path[0] != '\0') return -EOPNOTSUPP;
  return through_handle(dirfd, [mode](const char* handle) { return ::chmod(handle, mode); });
}
int SystemIo::fchownat(int dirfd, const char* path, uid_t uid, gid_t gid) {
  return returned(::fchownat(dirfd, path, uid, gid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH));
}
int SystemIo::utimensat(int dirfd, const char* path, const timespec times[2]) {
  if (path == nullptr) return returned(::futimens(dirfd, times));
  return returned(::utimensat(dirfd, path, times, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH));
}

ssize_t SystemIo::flistxattr(int fd, char* list, std::size_t length) {
  return returned(::flistxattr(fd, list, length));
}
ssize_t SystemIo::fgetxattr(int fd, const char* name, void* value, std::size_t length) {
  return returned(::fgetxattr(fd, name, value, length));
}
int SystemIo::fsetxattr(int fd, const char* name, const void* value, std::size_t length) {
  return returned(::fsetxattr(fd, name, value, length, 0));
}
int SystemIo::fremovexattr(int fd, const char* name) { return returned(::fremovexattr(fd, name)); }

int SystemIo::mmap(std::size_t length, int fd, off_t offset, void** address) {
  const bool fresh = fd < 0;
  const int protection = fresh ? PROT_READ | PROT_WRITE : PROT_READ;
  const int flags = fresh ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* mapped = ::mmap(nullptr, length, protection, flags, fd, offset);
  if (mapped == MAP_FAILED) return -errno;
  *address = mapped;
  return 0;
}
int SystemIo::munmap(void* address, std::size_t length) { return returned(::munmap(address, length)); }
int SystemIo::madvise(void* address, std::size_t length, int advice) {
  return returned(::madvise(address, length, advice));
}
ssize_t SystemIo::getrandom(void* buffer, std::size_t length) { return returned(::getrandom(buffer, length, 0)); }
int SystemIo::isatty(int fd) { return ::isatty(fd); }

Io& system_io() {
  static SystemIo io;
  return io;
}

}  // namespace packfs::base
