#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "base/unique_fd.h"
#include "host/status.h"
#include "packfs/error.h"

namespace packfs::host {

/// A directory handle that several may hold; the last one closes it.
using SharedDirectory = std::shared_ptr<const base::unique_fd>;

/// The way from an open directory down to the one being read. Only the deepest few stay open, whatever the depth; the
/// others are opened again on the way back and known by their identity, so a directory that was moved meanwhile is
/// noticed and never mistaken for another. One thread at a time. Borrows `io`.
class DirectoryTrail {
 public:
  /// Directories kept open at most, the first not counted.
  static constexpr std::size_t kKeptOpen = 4;

  DirectoryTrail(base::Io& io, SharedDirectory first, FileIdentity identity);

  /// Goes into the subdirectory `name` of the current directory, symlinks not followed. Returns its status by its
  /// handle. Errors: stale (the current directory is lost); not_a_directory; an errno of open. It has then not moved.
  [[nodiscard]] Result<struct statx> descend(std::string_view name);

  /// Goes back to the parent; not from the first. It has moved in any case; when the parent could not be opened again,
  /// or is not what it was, current() is null until the next ascend().
  void ascend();

  [[nodiscard]] const SharedDirectory& current() const noexcept { return levels_.back().handle; }
  /// Levels below the first.
  [[nodiscard]] std::size_t depth() const noexcept { return levels_.size() - 1; }
  /// Bytes of the path from the first directory to the current one.
  [[nodiscard]] std::size_t path_bytes() const noexcept { return path_.size(); }

 private:
  struct Level {
    SharedDirectory handle;
    FileIdentity identity;
    std::size_t path_end;  // its own path is the first bytes of path_
  };
  SharedDirectory reopen_from(const SharedDirectory& child) const;
  SharedDirectory reopen_from_first() const;
  [[nodiscard]] bool is_current(const base::unique_fd& fd) const;

  base::Io& io_;
  std::vector<Level> levels_;
  std::string path_;
};

}  // namespace packfs::host
