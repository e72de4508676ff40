#include "host/status.h"

#include <fcntl.h>

#include "base/io_loops.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

constexpr unsigned kMask = STATX_BASIC_STATS | STATX_BTIME;

Result<struct statx> status(base::Io& io, int directory, const char* name, int flags) {
  struct statx result{};
  const int returned = uninterrupted([&] { return io.statx(directory, name, flags, kMask, &result); });
  if (auto done = base::checked(returned); !done) return std::unexpected(std::move(done.error()));
  return result;
}

bool same_time(const struct statx_timestamp& a, const struct statx_timestamp& b) noexcept {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

Result<struct statx> status_at(base::Io& io, int directory, const char* name) {
  return status(io, directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
}

Result<struct statx> status_of(base::Io& io, int fd) { return status(io, fd, "", AT_EMPTY_PATH); }

FileIdentity identity_of(const struct statx& status) noexcept {
  return {.device = (std::uint64_t{status.stx_dev_major} << 32) | status.stx_dev_minor, .inode = status.stx_ino};
}

FileType type_of(const struct statx& status) noexcept {
  switch (status.stx_mode & S_IFMT) {
    case S_IFREG:
      return FileType::regular;
    case S_IFDIR:
      return FileType::directory;
    case S_IFLNK:
      return FileType::symlink;
    case S_IFIFO:
      return FileType::fifo;
    case S_IFSOCK:
      return FileType::socket;
    case S_IFCHR:
      return FileType::character_device;
    case S_IFBLK:
      return FileType::block_device;
    default:
      return FileType::none;
  }
}

Attributes attributes_of(const struct statx& status) {
  return {.mode = status.stx_mode & 07777U,
          .uid = status.stx_uid,
          .gid = status.stx_gid,
          .mtime = {.seconds = status.stx_mtime.tv_sec, .nanoseconds = status.stx_mtime.tv_nsec},
          .xattrs = {}};
}

bool unchanged(const struct statx& before, const struct statx& after) noexcept {
  return before.stx_size == after.stx_size && same_time(before.stx_mtime, after.stx_mtime) &&
         same_time(before.stx_ctime, after.stx_ctime);
}

}  // namespace packfs::host
