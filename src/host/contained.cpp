#include "host/contained.h"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/io_loops.h"
#include "host/status.h"
#include "host/uninterrupted.h"

namespace packfs::host {

namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The kernel answers EAGAIN when it cannot prove that a ".." stayed below the root because of a rename meanwhile. These
// paths have none, so it has no cause to; the bound only keeps an unforeseen one from hanging us. libpathrs settled on
// the same number, with "..", against attackers that rename in a loop.
constexpr int kMaxTries = 128;

bool is_plain(std::string_view component) noexcept {
  return !component.empty() && component != "." && component != "..";
}

bool is_contained(std::string_view path) noexcept {
  while (true) {
    const std::size_t slash = path.find('/');
    if (!is_plain(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// The longest beginning of `path` that ends at a component's end and that the kernel takes in one call.
std::string_view first_piece(std::string_view path) noexcept {
  constexpr std::size_t kLongest = PATH_MAX - 1;
  if (path.size() <= kLongest) return path;
  return path.substr(0, path.rfind('/', kLongest));
}

Result<base::unique_fd> adopt(base::Io& io, int returned) {
  if (auto fd = base::checked(returned); !fd) return std::unexpected(std::move(fd.error()));
  return base::unique_fd(io, returned);
}

Result<void> require_same_mount(base::Io& io, int root, int fd) {
  // The fallback's kernels know no mount id. A bind mount of the same device is not told apart there.
  auto above = status_of(io, root);
  if (!above) return std::unexpected(std::move(above.error()));
  auto below = status_of(io, fd);
  if (!below) return std::unexpected(std::move(below.error()));
  if (identity_of(*above).device == identity_of(*below).device) return {};
  return std::unexpected(Error(ErrorCode::escapes_root).with_note("another filesystem is mounted there"));
}

Result<base::unique_fd> open_stepwise(base::Io& io, int root, std::string_view path, Mounts mounts) {
  base::unique_fd current;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, slash));
    const int from = current ? current.get() : root;
    auto next = adopt(io, uninterrupted([&] { return io.openat(from, name.c_str(), kDirectoryFlags, 0); }));
    if (!next) return next;
    if (mounts == Mounts::stay) {
      if (auto same = require_same_mount(io, from, next->get()); !same) return std::unexpected(std::move(same.error()));
    }
    current = std::move(*next);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return current;
}

Result<base::unique_fd> open_piece(base::Io& io, int root, std::string_view path, Mounts mounts) {
  open_how how{};
  how.flags = kDirectoryFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  if (mounts == Mounts::stay) how.resolve |= RESOLVE_NO_XDEV;
  const std::string name(path);
  int returned = -EAGAIN;
  for (int tries = 0; tries < kMaxTries && returned == -EAGAIN; ++tries) {
    returned = uninterrupted([&] { return io.openat2(root, name.c_str(), how); });
  }
  // EPERM: sandboxes older than openat2 refuse it so; opening a directory for reading gives it for no other reason.
  if (returned == -ENOSYS || returned == -EPERM) return open_stepwise(io, root, path, mounts);
  if (returned == -EAGAIN) return std::unexpected(Error(ErrorCode::busy).with_note("renamed again and again"));
  if (returned == -EXDEV) {
    return std::unexpected(Error(ErrorCode::escapes_root).with_note("another filesystem is mounted there"));
  }
  return adopt(io, returned);
}

}  // namespace

Result<base::unique_fd> open_beneath(base::Io& io, int root, std::string_view path, Mounts mounts) {
  if (path.empty()) return adopt(io, uninterrupted([&] { return io.openat(root, ".", kDirectoryFlags, 0); }));
  if (!is_contained(path)) return std::unexpected(ErrorCode::escapes_root);
  base::unique_fd current;
  while (!path.empty()) {
    const std::string_view piece = first_piece(path);
    auto next = open_piece(io, current ? current.get() : root, piece, mounts);
    if (!next) return next;
    current = std::move(*next);
    path.remove_prefix(std::min(piece.size() + 1, path.size()));
  }
  return current;
}

}  // namespace packfs::host
