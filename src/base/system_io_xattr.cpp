#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/system_io.h"
#include "base/through_handle.h"

namespace packfs::base {

namespace {

// Linux 6.13; the same numbers on every architecture PackFS builds for. Headers that old do not name them.
constexpr long kSetxattrat = 463;
constexpr long kGetxattrat = 464;
constexpr long kListxattrat = 465;

// struct xattr_args of linux/xattr.h.
struct alignas(8) XattrArguments {
  std::uint64_t value;
  std::uint32_t size;
  std::uint32_t flags;
};
static_assert(sizeof(XattrArguments) == 16);

template <class T>
T returned(T result) noexcept {
  return result < 0 ? static_cast<T>(-errno) : result;
}

// Calls `call` with a path for a syscall that takes no directory handle. As that path goes through /proc, what it
// cannot reach looks like a missing entry: tell these apart.
template <class T, class Call>
T through_proc(int dirfd, const char* path, Call call) noexcept {
  if (path[0] == '\0') return -ENOENT;
  if (dirfd == AT_FDCWD || path[0] == '/') return returned(call(path));
  char handle[32];
  std::snprintf(handle, sizeof handle, "/proc/self/fd/%d", dirfd);
  char whole[4096];
  const int length = std::snprintf(whole, sizeof whole, "%s/%s", handle, path);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof whole) return -ENAMETOOLONG;
  const T result = returned(call(whole));
  if (result != -ENOENT || ::faccessat(AT_FDCWD, handle, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return result;
  return ::fcntl(dirfd, F_GETFD) < 0 ? -EBADF : -EOPNOTSUPP;
}

std::uint32_t argument_size(std::size_t length) noexcept {
  // The kernel takes 32 bits here and 64 KiB at most as a value's size: all that is longer means the same to it.
  return length > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(length);
}

}  // namespace

ssize_t SystemIo::listxattrat(int dirfd, const char* path, char* list, std::size_t length) {
  if (!lacks_xattrat_.load(std::memory_order_relaxed)) {
    const auto result =
        returned(static_cast<ssize_t>(::syscall(kListxattrat, dirfd, path, AT_SYMLINK_NOFOLLOW, list, length)));
    if (result != -ENOSYS) return result;
    lacks_xattrat_.store(true, std::memory_order_relaxed);
  }
  return through_proc<ssize_t>(dirfd, path, [&](const char* whole) { return ::llistxattr(whole, list, length); });
}

ssize_t SystemIo::getxattrat(int dirfd, const char* path, const char* name, void* value, std::size_t length) {
  if (!lacks_xattrat_.load(std::memory_order_relaxed)) {
    XattrArguments arguments{reinterpret_cast<std::uintptr_t>(value), argument_size(length), 0};
    const auto result = returned(static_cast<ssize_t>(
        ::syscall(kGetxattrat, dirfd, path, AT_SYMLINK_NOFOLLOW, name, &arguments, sizeof arguments)));
    if (result != -ENOSYS) return result;
    lacks_xattrat_.store(true, std::memory_order_relaxed);
  }
  return through_proc<ssize_t>(dirfd, path, [&](const char* whole) { return ::lgetxattr(whole, name, value, length); });
}

int SystemIo::setxattrat(int dirfd, const char* path, const char* name, const void* value, std::size_t length) {
  // The syscall takes no handle opened with O_PATH.
  if (path[0] == '\0') {
    return through_handle(dirfd, [&](const char* handle) { return ::setxattr(handle, name, value, length, 0); });
  }
  if (!lacks_xattrat_.load(std::memory_order_relaxed)) {
    XattrArguments arguments{reinterpret_cast<std::uintptr_t>(value), argument_size(length), 0};
    const auto result = returned(
        static_cast<int>(::syscall(kSetxattrat, dirfd, path, AT_SYMLINK_NOFOLLOW, name, &arguments, sizeof arguments)));
    if (result != -ENOSYS) return result;
    lacks_xattrat_.store(true, std::memory_order_relaxed);
  }
  return through_proc<int>(dirfd, path, [&](const char* whole) { return ::lsetxattr(whole, name, value, length, 0); });
}

}  // namespace packfs::base
