#pragma once

#include <cstdint>
#include <string_view>

#include "base/io.h"
#include "base/unique_fd.h"
#include "packfs/error.h"

namespace packfs::host {

/// Whether a directory on another mount may be opened. `stay` refuses it as a symlink is refused.
enum class Mounts : std::uint8_t { stay, cross };

/// Opens the directory `path` below the open directory `root` for reading, with no way out of `root`: neither a symlink
/// nor ".." nor a magic link is followed, even while other processes swap directories for symlinks. What is opened
/// was below `root` at that moment.
///
/// `path` is relative, its components separated by single '/', of any length; empty means `root` itself. Paths of
/// PATH_MAX and more are resolved in pieces.
/// By openat2(2); where that is missing, component by component with O_NOFOLLOW.
/// Errors: escapes_root (an empty component, "." or "..", a leading '/'; a mount point, with Mounts::stay);
/// symlink_loop or not_a_directory (a symlink, or something else that is no directory); busy (EAGAIN did not cease); an
/// errno of open.
[[nodiscard]] Result<base::unique_fd> open_beneath(base::Io& io, int root, std::string_view path, Mounts mounts);

}  // namespace packfs::host
