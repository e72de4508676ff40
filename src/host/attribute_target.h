#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/io.h"
#include "host/status.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// Something on the host whose attributes are set: an open file or directory, or (of what cannot be opened, a symlink
/// for instance) a handle made with O_PATH. Always the thing itself, whatever its name stands for by now.
/// Borrows the descriptor. Errors of all calls: an errno.
class AttributeTarget {
 public:
  enum class Handle : bool { open, path_only };
  AttributeTarget(base::Io& io, int fd, Handle handle = Handle::open) noexcept : io_(io), fd_(fd), handle_(handle) {}

  [[nodiscard]] Result<void> set_owner(std::uint32_t uid, std::uint32_t gid) const;
  [[nodiscard]] Result<void> set_mode(std::uint32_t mode) const;
  [[nodiscard]] Result<void> set_xattr(const char* name, std::span<const std::byte> value) const;
  [[nodiscard]] Result<void> set_mtime(Time mtime) const;
  [[nodiscard]] Result<struct statx> status() const;

 private:
  base::Io& io_;
  int fd_;
  Handle handle_;
};

/// Takes away the access ACL of something that has no other and gives it the permission bits of `mode`: what an ACL
/// that says no more than a mode does.
[[nodiscard]] Result<void> drop_acl(const AttributeTarget& target, std::uint32_t mode);

}  // namespace packfs::host
