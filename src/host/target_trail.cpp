#include "host/target_trail.h"

#include <fcntl.h>
#include <limits.h>

#include <utility>

#include "base/io_loops.h"
#include "host/uninterrupted.h"

namespace packfs::host {

Result<void> TargetTrail::enter(std::string_view name) {
  if (current() < 0) return std::unexpected(Error(ErrorCode::stale).with_note("the directory above was moved away"));
  const std::size_t parent_path_end = path_.size();
  if (!path_.empty()) path_ += '/';
  path_ += name;
  auto opened = starts_from_target() ? open(path_) : open_beneath(io_, current(), name, mounts_);
  Result<struct statx> status = std::unexpected(ErrorCode::stale);
  if (opened) status = status_of(io_, opened->get());
  if (!opened || !status) {
    path_.resize(parent_path_end);
    return std::unexpected(opened ? std::move(status.error()) : std::move(opened.error()));
  }
  levels_.push_back({.identity = identity_of(*status), .parent_path_end = parent_path_end});
  current_ = std::move(*opened);
  return {};
}

Result<void> TargetTrail::leave() {
  const base::unique_fd child = std::move(current_);
  path_.resize(levels_.back().parent_path_end);
  levels_.pop_back();
  if (levels_.empty()) return {};
  auto parent = child && !starts_from_target() ? reopen_parent(child) : open(path_);
  if (!parent) return std::unexpected(std::move(parent.error()));
  auto status = status_of(io_, parent->get());
  if (!status) return std::unexpected(std::move(status.error()));
  if (identity_of(*status) != levels_.back().identity) {
    return std::unexpected(Error(ErrorCode::stale).with_note("another directory took its place"));
  }
  current_ = std::move(*parent);
  return {};
}

Result<base::unique_fd> TargetTrail::open(std::string_view path) const {
  return open_beneath(io_, target_.get(), path, mounts_);
}

// As many steps go by between two full resolutions as one of them costs calls, so a step costs two on average.
bool TargetTrail::starts_from_target() const noexcept {
  const std::size_t calls = path_.size() / (PATH_MAX - 1) + 1;
  return calls == 1 || levels_.size() % calls == 0;
}

// The caller compares identities: a ".." that leads elsewhere is not used.
Result<base::unique_fd> TargetTrail::reopen_parent(const base::unique_fd& child) const {
  const int returned =
      uninterrupted([&] { return io_.openat(child.get(), "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0); });
  if (auto opened = base::checked(returned); !opened) return std::unexpected(std::move(opened.error()));
  return base::unique_fd(io_, returned);
}

}  // namespace packfs::host
