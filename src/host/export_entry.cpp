// Exporter::Run's way with entries that are not directories.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <utility>

#include "base/io_loops.h"
#include "base/unique_fd.h"
#include "host/export_run.h"
#include "host/uninterrupted.h"
#include "path/path.h"

namespace packfs::host {

namespace {

bool is_device(FileType type) noexcept { return type == FileType::character_device || type == FileType::block_device; }

// The type bits for mknod; 0 for what it does not make.
mode_t node_type(FileType type) noexcept {
  switch (type) {
    case FileType::fifo:
      return S_IFIFO;
    case FileType::socket:
      return S_IFSOCK;
    case FileType::character_device:
      return S_IFCHR;
    case FileType::block_device:
      return S_IFBLK;
    default:
      return 0;
  }
}

}  // namespace

void Exporter::Run::write_other(std::string_view name, const Node& node) {
  if (stop_ || !count_entry(name)) return;
  if (auto written = try_write_other(name, node); !written) {
    if (stop_) {
      stop_ = stop_->with_path(path_of(name));
    } else {
      fail(path_of(name), std::move(written.error()));
    }
  }
}

Result<void> Exporter::Run::try_write_other(std::string_view name, const Node& node) {
  if (const auto bad = path::check_component(name)) return std::unexpected(*bad);
  auto stat = table_.stat(node);
  if (!stat) return std::unexpected(std::move(stat.error()));
  if (is_device(stat->type) && !options_.privileged) {
    report_.withheld.push_back({path_of(name), Error(ErrorCode::not_permitted).with_note("a device")});
    return {};
  }
  auto linked = write_link(name, *stat);
  if (!linked || *linked) return linked ? Result<void>() : std::unexpected(std::move(linked.error()));
  Result<std::vector<Xattr>> xattrs;
  if (stat->has_xattrs) xattrs = table_.xattrs(node);
  if (!xattrs) return std::unexpected(std::move(xattrs.error()));

  auto placement = stat->type == FileType::regular ? make_file(name, node, *stat, *xattrs)
                                                   : make_by_name(name, node, *stat, *xattrs);
  if (!placement) return std::unexpected(std::move(placement.error()));
  std::optional<FileIdentity> identity;
  if (stat->link_id != 0) {
    auto status = status_at(io_, trail_.current(), placement->name());
    if (!status) return std::unexpected(std::move(status.error()));
    identity = identity_of(*status);
  }
  if (auto finished = placement->finish(); !finished) return finished;
  if (identity) {
    links_.add(stat->link_id, {.directory = trail_.path(), .name = std::string(name), .identity = *identity});
  }
  ++report_.entries;
  return {};
}

// True when a name of the same file was written before, and this is now another one.
Result<bool> Exporter::Run::write_link(std::string_view name, const Stat& stat) {
  const ExportLinks::First* first = stat.link_id == 0 ? nullptr : links_.find(stat.link_id);
  if (first == nullptr) return false;
  base::unique_fd other;
  if (first->directory != trail_.path()) {
    auto opened = trail_.open(first->directory);
    if (!opened) return std::unexpected(opened.error().with_note("the first name's directory"));
    other = std::move(*opened);
  }
  const int from = other ? other.get() : trail_.current();
  auto placement = Placement::make(io_, trail_.current(), std::string(name), [&](const char* made) {
    return io_.linkat(from, first->name.c_str(), trail_.current(), made, 0);
  });
  if (!placement) return std::unexpected(placement.error().with_note("a hard link to " + first->name));
  // Another process may have put something else under the first name.
  auto status = status_at(io_, trail_.current(), placement->name());
  if (!status) return std::unexpected(std::move(status.error()));
  if (identity_of(*status) != first->identity) {
    return std::unexpected(Error(ErrorCode::stale).with_note("its first name was taken by another file"));
  }
  if (auto finished = placement->finish_link(); !finished) return std::unexpected(std::move(finished.error()));
  ++report_.entries;
  return true;
}

Result<Placement> Exporter::Run::make_file(std::string_view name, const Node& node, const Stat& stat,
                                           const std::vector<Xattr>& xattrs) {
  auto placement = Placement::make(io_, trail_.current(), std::string(name), [&](const char* made) {
    return io_.openat(trail_.current(), made, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  });
  if (!placement) return placement;
  base::unique_fd fd(io_, placement->made());
  if (auto written = contents_.write(fd.get(), node, stat.size); !written) {
    return std::unexpected(std::move(written.error()));
  }
  apply_attributes(AttributeTarget(io_, fd.get()), stat, xattrs, levels_.back().gives_acl, name);
  // Network filesystems and quotas tell of a failed write only here. EINTR is none: the descriptor is closed.
  const int closed = io_.close(fd.release());
  if (closed < 0 && closed != -EINTR) return std::unexpected(Error::from_errno(-closed));
  return placement;
}

// A handle to what was just made by its name. Another process may have put something else there meanwhile, a hard link
// to a file of somebody's for instance: that has another name, or another type.
Result<base::unique_fd> Exporter::Run::open_made(const Placement& placement, FileType type) const {
  const int returned =
      uninterrupted([&] { return io_.openat(trail_.current(), placement.name(), O_PATH | O_NOFOLLOW | O_CLOEXEC, 0); });
  if (auto opened = base::checked(returned); !opened) return std::unexpected(std::move(opened.error()));
  base::unique_fd handle(io_, returned);
  auto status = status_of(io_, returned);
  if (!status) return std::unexpected(std::move(status.error()));
  if (type_of(*status) != type || status->stx_nlink != 1) {
    return std::unexpected(Error(ErrorCode::stale).with_note("another process put something in its place"));
  }
  return handle;
}

Result<Placement> Exporter::Run::make_by_name(std::string_view name, const Node& node, const Stat& stat,
                                              const std::vector<Xattr>& xattrs) {
  std::string target;
  if (stat.type == FileType::symlink) {
    auto read = table_.readlink(node);
    if (!read) return std::unexpected(std::move(read.error()));
    target = std::move(*read);
    if (target.find('\0') != std::string::npos) return std::unexpected(ErrorCode::invalid);
  } else if (node_type(stat.type) == 0) {
    return std::unexpected(Error(ErrorCode::corrupt).with_note("an entry of no known type"));
  }
  auto placement = Placement::make(io_, trail_.current(), std::string(name), [&](const char* made) {
    if (stat.type == FileType::symlink) return io_.symlinkat(target.c_str(), trail_.current(), made);
    const dev_t device = is_device(stat.type) ? ::makedev(stat.device_major, stat.device_minor) : 0;
    return io_.mknodat(trail_.current(), made, node_type(stat.type) | 0600, device);
  });
  if (!placement) return placement;
  auto handle = open_made(*placement, stat.type);
  if (!handle) return std::unexpected(std::move(handle.error()));
  const AttributeTarget made(io_, handle->get(), AttributeTarget::Handle::path_only);
  apply_attributes(made, stat, xattrs, levels_.back().gives_acl, name);
  return placement;
}

}  // namespace packfs::host
