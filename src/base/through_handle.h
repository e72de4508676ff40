#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace packfs::base {

/// Makes a syscall that takes a path, and follows it, on what the descriptor `fd` stands for: /proc/self/fd leads to
/// that itself, be it a symlink or opened with O_PATH. `call(path)` returns as the C library does; this as Io does.
/// Also EBADF; EOPNOTSUPP where there is no /proc.
template <class Call>
int through_handle(int fd, Call call) noexcept {
  char handle[32];
  std::snprintf(handle, sizeof handle, "/proc/self/fd/%d", fd);
  const int result = call(handle);
  if (result >= 0) return result;
  const int error = errno;
  if (error != ENOENT) return -error;
  return ::fcntl(fd, F_GETFD) < 0 ? -EBADF : -EOPNOTSUPP;
}

}  // namespace packfs::base
