#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/io_loops.h"
#include "host/status.h"

namespace packfs::cli {

Result<Input> Input::open(const std::string& name, Context& context) {
  if (name == "-") {
    Input input(context, "standard input");
    input.descriptor_ = context.streams.in;
    return input;
  }
  Input input(context, name);
  const auto fd = base::checked(context.io.openat(AT_FDCWD, name.c_str(), O_RDONLY | O_CLOEXEC, 0));
  if (!fd) return std::unexpected(fd.error().with_path(name));
  input.file_ = base::unique_fd(context.io, *fd);
  input.descriptor_ = *fd;
  const auto status = host::status_of(context.io, *fd);
  if (!status) return std::unexpected(status.error().with_path(name));
  if (host::type_of(*status) == FileType::directory) {
    return std::unexpected(Error(ErrorCode::is_a_directory).with_path(name));
  }
  if (host::type_of(*status) == FileType::regular) input.mode_ = status->stx_mode & 0777U;
  input.opened_ = *status;
  return input;
}

Result<Input::Stretch> Input::next_stretch() {
  Stretch stretch;
  if (file_.get() < 0 || host::type_of(opened_) != FileType::regular) return stretch;
  const auto seek = [&](off_t offset, int whence) { return context_->io.lseek(file_.get(), offset, whence); };
  const off_t from = seek(0, SEEK_CUR);
  off_t to = from < 0 ? from : seek(from, SEEK_DATA);
  // A filesystem that knows no holes.
  if (to == -EINVAL || to == -EOPNOTSUPP) return stretch;
  if (to == -ENXIO) {
    // No data, as far as is known: only reading finds the end.
    to = std::max(from, seek(0, SEEK_END));
  } else if (to >= 0) {
    const off_t end = seek(to, SEEK_HOLE);
    if (end > to) stretch.data = static_cast<std::uint64_t>(end - to);
  }
  const off_t there = to < 0 ? to : seek(to, SEEK_SET);
  if (there < 0) return std::unexpected(Error::from_errno(static_cast<int>(-there)).with_path(name_));
  stretch.hole = static_cast<std::uint64_t>(std::max(from, there) - from);
  return stretch;
}

Result<std::size_t> Input::read(std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    if (context_->stopped()) return std::unexpected(Error::from_errno(ECANCELED).with_path(name_));
    const ssize_t count = context_->io.read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count == -EINTR) continue;  // a signal may mean: stop
    if (count < 0) return std::unexpected(Error::from_errno(static_cast<int>(-count)).with_path(name_));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

Result<bool> Input::has_changed() const {
  if (file_.get() < 0 || host::type_of(opened_) != FileType::regular) return false;
  const auto now = host::status_of(context_->io, file_.get());
  if (!now) return std::unexpected(now.error().with_path(name_));
  return !host::unchanged(opened_, *now);
}

}  // namespace packfs::cli
