#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "base/unique_fd.h"
#include "host/contained.h"
#include "host/status.h"
#include "packfs/error.h"

namespace packfs::host {

/// Where an export stands in its target: one open directory, reached anew from the target's own handle at every step,
/// so that one which another process moves out of the target is left at the next step at the latest. Paths beyond
/// PATH_MAX cost several calls: there only every so many steps start from the target, the others from where this
/// stands. Two descriptors at any depth. One thread at a time. Borrows `io`.
class TargetTrail {
 public:
  TargetTrail(base::Io& io, base::unique_fd target, Mounts mounts) noexcept
      : io_(io), mounts_(mounts), target_(std::move(target)) {}

  /// Goes into the subdirectory `name`. Errors: stale (the current directory is lost); those of open_beneath(). It has
  /// then not moved.
  [[nodiscard]] Result<void> enter(std::string_view name);

  /// Goes back to the parent; not from the target. It has moved in any case. Errors: stale (what is there now is not
  /// the directory that was entered); those of open_beneath(). current() is then -1 until the next leave().
  [[nodiscard]] Result<void> leave();

  /// Opens another directory of the target.
  [[nodiscard]] Result<base::unique_fd> open(std::string_view path) const;

  [[nodiscard]] int target() const noexcept { return target_.get(); }
  [[nodiscard]] int current() const noexcept { return levels_.empty() ? target_.get() : current_.get(); }
  /// Of the current directory, from the target; empty for the target itself.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::size_t depth() const noexcept { return levels_.size(); }

 private:
  struct Level {
    FileIdentity identity;
    std::size_t parent_path_end;
  };
  [[nodiscard]] bool starts_from_target() const noexcept;
  [[nodiscard]] Result<base::unique_fd> reopen_parent(const base::unique_fd& child) const;

  base::Io& io_;
  Mounts mounts_;
  base::unique_fd target_;
  base::unique_fd current_;
  std::vector<Level> levels_;
  std::string path_;
};

}  // namespace packfs::host
