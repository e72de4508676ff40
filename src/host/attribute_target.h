#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/io.h"
#include "host/status.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// Something on the host whose attributes are set: an open file or directory, or (for what cannot be opened) a name in
/// a directory, which is never followed. Borrows the descriptor and the name. Errors of all calls: an errno.
class AttributeTarget {
 public:
  AttributeTarget(base::Io& io, int fd) noexcept : io_(io), fd_(fd), name_(nullptr) {}
  AttributeTarget(base::Io& io, int directory, const char* name) noexcept : io_(io), fd_(directory), name_(name) {}

  [[nodiscard]] Result<void> set_owner(std::uint32_t uid, std::uint32_t gid) const;
  [[nodiscard]] Result<void> set_mode(std::uint32_t mode) const;
  [[nodiscard]] Result<void> set_xattr(const char* name, std::span<const std::byte> value) const;
  [[nodiscard]] Result<void> set_mtime(Time mtime) const;
  [[nodiscard]] Result<struct statx> status() const;

 private:
  base::Io& io_;
  int fd_;
  const char* name_;
};

/// Takes away the access ACL of something that has no other and gives it the permission bits of `mode`: what an ACL
/// that says no more than a mode does.
[[nodiscard]] Result<void> drop_acl(const AttributeTarget& target, std::uint32_t mode);

}  // namespace packfs::host
