#include "host/directory_trail.h"

#include <fcntl.h>

#include <utility>

#include "base/io_loops.h"
#include "host/contained.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

DirectoryTrail::DirectoryTrail(base::Io& io, SharedDirectory first, FileIdentity identity) : io_(io) {
  levels_.push_back({.handle = std::move(first), .identity = identity, .path_end = 0});
}

Result<struct statx> DirectoryTrail::descend(std::string_view name) {
  if (!current()) return std::unexpected(Error(ErrorCode::stale).with_note("the directory above was moved away"));
  const std::string child(name);
  const int parent = current()->get();
  const int returned = uninterrupted([&] { return io_.openat(parent, child.c_str(), kFlags, 0); });
  if (auto opened = base::checked(returned); !opened) return std::unexpected(std::move(opened.error()));
  auto handle = std::make_shared<const base::unique_fd>(io_, returned);
  auto status = status_of(io_, returned);
  if (!status) return status;

  if (levels_.size() > kKeptOpen) levels_[levels_.size() - kKeptOpen].handle.reset();
  if (!path_.empty()) path_ += '/';
  path_ += name;
  levels_.push_back({.handle = std::move(handle), .identity = identity_of(*status), .path_end = path_.size()});
  return status;
}

void DirectoryTrail::ascend() {
  const SharedDirectory child = std::move(levels_.back().handle);
  levels_.pop_back();
  path_.resize(levels_.back().path_end);
  Level& level = levels_.back();
  if (level.handle) return;
  if (child) level.handle = reopen_from(child);
  if (!level.handle) level.handle = reopen_from_first();
}

// ".." costs one call whatever the depth. When the child was moved it leads elsewhere, which its identity tells.
SharedDirectory DirectoryTrail::reopen_from(const SharedDirectory& child) const {
  const int returned = uninterrupted([&] { return io_.openat(child->get(), "..", kFlags, 0); });
  if (returned < 0) return nullptr;
  base::unique_fd fd(io_, returned);
  if (!is_current(fd)) return nullptr;
  return std::make_shared<const base::unique_fd>(std::move(fd));
}

SharedDirectory DirectoryTrail::reopen_from_first() const {
  auto fd = open_beneath(io_, levels_.front().handle->get(), path_, Mounts::cross);
  if (!fd || !is_current(*fd)) return nullptr;
  return std::make_shared<const base::unique_fd>(std::move(*fd));
}

bool DirectoryTrail::is_current(const base::unique_fd& fd) const {
  auto status = status_of(io_, fd.get());
  return status && identity_of(*status) == levels_.back().identity;
}

}  // namespace packfs::host
