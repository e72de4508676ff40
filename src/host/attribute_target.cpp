#include "host/attribute_target.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "base/io_loops.h"
#include "base/le.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

Result<void> done(int returned) {
  if (auto result = base::checked(returned); !result) return std::unexpected(std::move(result.error()));
  return {};
}

// linux/posix_acl_xattr.h
struct AclEntry {
  base::Le16 tag;
  base::Le16 permissions;
  base::Le32 id;
};
struct MinimalAcl {
  base::Le32 version;
  std::array<AclEntry, 3> entries;
};
static_assert(sizeof(MinimalAcl) == 28);

constexpr std::uint32_t kAclVersion = 2;
constexpr std::uint32_t kNoId = 0xFFFFFFFF;
constexpr std::array<std::uint16_t, 3> kTags{0x01, 0x04, 0x20};  // owner, owning group, others

}  // namespace

Result<void> AttributeTarget::set_owner(std::uint32_t uid, std::uint32_t gid) const {
  return done(uninterrupted([&] { return io_.fchownat(fd_, "", uid, gid); }));
}

Result<void> AttributeTarget::set_mode(std::uint32_t mode) const {
  if (handle_ == Handle::open) return done(uninterrupted([&] { return io_.fchmod(fd_, mode); }));
  return done(uninterrupted([&] { return io_.fchmodat(fd_, "", mode); }));
}

Result<void> AttributeTarget::set_xattr(const char* name, std::span<const std::byte> value) const {
  return done(uninterrupted([&] {
    if (handle_ == Handle::open) return io_.fsetxattr(fd_, name, value.data(), value.size());
    return io_.setxattrat(fd_, "", name, value.data(), value.size());
  }));
}

Result<void> AttributeTarget::set_mtime(Time mtime) const {
  timespec times[2]{};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = mtime.seconds;
  times[1].tv_nsec = mtime.nanoseconds;
  const char* path = handle_ == Handle::open ? nullptr : "";
  return done(uninterrupted([&] { return io_.utimensat(fd_, path, times); }));
}

Result<struct statx> AttributeTarget::status() const { return status_of(io_, fd_); }

Result<void> drop_acl(const AttributeTarget& target, std::uint32_t mode) {
  MinimalAcl acl{};
  acl.version.set(kAclVersion);
  constexpr std::array<unsigned, kTags.size()> kShifts{6, 3, 0};
  for (std::size_t i = 0; i < kTags.size(); ++i) {
    acl.entries[i].tag.set(kTags[i]);
    acl.entries[i].permissions.set(static_cast<std::uint16_t>((mode >> kShifts[i]) & 7));
    acl.entries[i].id.set(kNoId);
  }
  return target.set_xattr("system.posix_acl_access", std::as_bytes(std::span(&acl, 1)));
}

}  // namespace packfs::host
