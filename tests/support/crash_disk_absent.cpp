#include <cerrno>

#include "support/crash_disk.h"

namespace packfs::testing {

ssize_t CrashDisk::copy_file_range(int /*in*/, off_t* /*in_offset*/, int /*out*/, off_t* /*out_offset*/,
                                   std::size_t /*length*/) {
  return -ENOSYS;
}
ssize_t CrashDisk::readlinkat(int /*dirfd*/, const char* /*path*/, char* /*buffer*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int CrashDisk::mknodat(int /*dirfd*/, const char* /*path*/, mode_t /*mode*/, dev_t /*device*/) { return -ENOSYS; }
int CrashDisk::symlinkat(const char* /*target*/, int /*dirfd*/, const char* /*path*/) { return -ENOSYS; }
int CrashDisk::linkat(int /*old_dirfd*/, const char* /*old_path*/, int /*new_dirfd*/, const char* /*new_path*/,
                      int /*flags*/) {
  return -EOPNOTSUPP;
}
int CrashDisk::fchmod(int /*fd*/, mode_t /*mode*/) { return -ENOSYS; }
int CrashDisk::fchmodat(int /*dirfd*/, const char* /*path*/, mode_t /*mode*/) { return -ENOSYS; }
int CrashDisk::fchownat(int /*dirfd*/, const char* /*path*/, uid_t /*uid*/, gid_t /*gid*/) { return -ENOSYS; }
int CrashDisk::utimensat(int /*dirfd*/, const char* /*path*/, const timespec /*times*/[2]) { return -ENOSYS; }
ssize_t CrashDisk::flistxattr(int /*fd*/, char* /*list*/, std::size_t /*length*/) { return -ENOSYS; }
ssize_t CrashDisk::fgetxattr(int /*fd*/, const char* /*name*/, void* /*value*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int CrashDisk::fsetxattr(int /*fd*/, const char* /*name*/, const void* /*value*/, std::size_t /*length*/) {
  return -ENOSYS;
}
int CrashDisk::fremovexattr(int /*fd*/, const char* /*name*/) { return -ENOSYS; }
ssize_t CrashDisk::listxattrat(int /*dirfd*/, const char* /*path*/, char* /*list*/, std::size_t /*length*/) {
  return -ENOSYS;
}
ssize_t CrashDisk::getxattrat(int /*dirfd*/, const char* /*path*/, const char* /*name*/, void* /*value*/,
                              std::size_t /*length*/) {
  return -ENOSYS;
}
int CrashDisk::setxattrat(int /*dirfd*/, const char* /*path*/, const char* /*name*/, const void* /*value*/,
                          std::size_t /*length*/) {
  return -ENOSYS;
}

}  // namespace packfs::testing
