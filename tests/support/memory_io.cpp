#include "support/memory_io.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace packfs::testing {

int MemoryIo::openat(int /*dirfd*/, const char* /*path*/, int /*flags*/, mode_t /*mode*/) { return kDescriptor; }
int MemoryIo::openat2(int /*dirfd*/, const char* /*path*/, const open_how& /*how*/) { return -ENOSYS; }
int MemoryIo::close(int /*fd*/) { return 0; }
int MemoryIo::dup(int /*fd*/) { return -ENOSYS; }
ssize_t MemoryIo::read(int /*fd*/, void* /*buffer*/, std::size_t /*length*/) { return -ENOSYS; }
ssize_t MemoryIo::pread(int /*fd*/, void* buffer, std::size_t length, off_t offset) {
  if (offset < 0 || static_cast<std::size_t>(offset) >= file_.size()) return 0;
  const auto rest = file_.subspan(static_cast<std::size_t>(offset));
  const std::size_t count = std::min(length, rest.size());
  std::memcpy(buffer, rest.data(), count);
  return static_cast<ssize_t>(count);
}
ssize_t MemoryIo::write(int /*fd*/, const void* /*buffer*/, std::size_t /*length*/) { return -ENOSYS; }
ssize_t MemoryIo::pwrite(int /*fd*/, const void* /*buffer*/, std::size_t /*length*/, off_t /*offset*/) {
  return -ENOSYS;
}
ssize_t MemoryIo::writev(int /*fd*/, const iovec* /*pieces*/, int /*count*/) { return -ENOSYS; }
off_t MemoryIo::lseek(int /*fd*/, off_t /*offset*/, int /*whence*/) { return -ENOSYS; }
int MemoryIo::ftruncate(int /*fd*/, off_t /*length*/) { return -ENOSYS; }
int MemoryIo::fallocate(int /*fd*/, int /*mode*/, off_t /*offset*/, off_t /*length*/) { return -ENOSYS; }
int MemoryIo::fsync(int /*fd*/) { return -ENOSYS; }
int MemoryIo::fdatasync(int /*fd*/) { return -ENOSYS; }
int MemoryIo::sync_file_range(int /*fd*/, off_t /*offset*/, off_t /*length*/) { return -ENOSYS; }
int MemoryIo::try_lock(int /*fd*/) { return -ENOSYS; }
ssize_t MemoryIo::copy_file_range(int /*in*/, off_t* /*in_offset*/, int /*out*/, off_t* /*out_offset*/,
                                  std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::statx(int /*dirfd*/, const char* /*path*/, int /*flags*/, unsigned /*mask*/, struct statx* out) {
  *out = {};
  out->stx_mode = S_IFREG | 0400;
  out->stx_size = file_.size();
  return 0;
}
ssize_t MemoryIo::getdents64(int /*fd*/, void* /*buffer*/, std::size_t /*length*/) { return -ENOSYS; }
ssize_t MemoryIo::readlinkat(int /*dirfd*/, const char* /*path*/, char* /*buffer*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::mkdirat(int /*dirfd*/, const char* /*path*/, mode_t /*mode*/) { return -ENOSYS; }
int MemoryIo::mknodat(int /*dirfd*/, const char* /*path*/, mode_t /*mode*/, dev_t /*device*/) { return -ENOSYS; }
int MemoryIo::symlinkat(const char* /*target*/, int /*dirfd*/, const char* /*path*/) { return -ENOSYS; }
int MemoryIo::linkat(int /*old_dirfd*/, const char* /*old_path*/, int /*new_dirfd*/, const char* /*new_path*/,
                     int /*flags*/) {
  return -ENOSYS;
}
int MemoryIo::unlinkat(int /*dirfd*/, const char* /*path*/, int /*flags*/) { return -ENOSYS; }
int MemoryIo::renameat2(int /*old_dirfd*/, const char* /*old_path*/, int /*new_dirfd*/, const char* /*new_path*/,
                        unsigned /*flags*/) {
  return -ENOSYS;
}
int MemoryIo::fchmod(int /*fd*/, mode_t /*mode*/) { return -ENOSYS; }
int MemoryIo::fchmodat(int /*dirfd*/, const char* /*path*/, mode_t /*mode*/) { return -ENOSYS; }
int MemoryIo::fchownat(int /*dirfd*/, const char* /*path*/, uid_t /*uid*/, gid_t /*gid*/) { return -ENOSYS; }
int MemoryIo::utimensat(int /*dirfd*/, const char* /*path*/, const timespec /*times*/[2]) { return -ENOSYS; }
ssize_t MemoryIo::flistxattr(int /*fd*/, char* /*list*/, std::size_t /*length*/) { return -ENOSYS; }
ssize_t MemoryIo::fgetxattr(int /*fd*/, const char* /*name*/, void* /*value*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::fsetxattr(int /*fd*/, const char* /*name*/, const void* /*value*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::fremovexattr(int /*fd*/, const char* /*name*/) { return -ENOSYS; }
ssize_t MemoryIo::listxattrat(int /*dirfd*/, const char* /*path*/, char* /*list*/, std::size_t /*length*/) {
  return -ENOSYS;
}
ssize_t MemoryIo::getxattrat(int /*dirfd*/, const char* /*path*/, const char* /*name*/, void* /*value*/,
                             std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::setxattrat(int /*dirfd*/, const char* /*path*/, const char* /*name*/, const void* /*value*/,
                         std::size_t /*length*/) {
  return -ENOSYS;
}
int MemoryIo::mmap(std::size_t length, int fd, off_t offset, void** address) {
  *address = std::calloc(length, 1);
  if (*address == nullptr) return -ENOMEM;
  if (fd >= 0) std::memcpy(*address, file_.data() + offset, length);
  return 0;
}
int MemoryIo::munmap(void* address, std::size_t /*length*/) {
  std::free(address);
  return 0;
}
int MemoryIo::madvise(void* /*address*/, std::size_t /*length*/, int /*advice*/) { return -ENOSYS; }
ssize_t MemoryIo::getrandom(void* /*buffer*/, std::size_t /*length*/) { return -ENOSYS; }
int MemoryIo::isatty(int /*fd*/) { return -ENOSYS; }

}  // namespace packfs::testing
