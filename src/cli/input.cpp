#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>

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
