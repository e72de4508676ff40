#include "host/entry_loader.h"

#include <fcntl.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/io_loops.h"
#include "host/uninterrupted.h"
#include "host/xattrs.h"

namespace packfs::host {

namespace {

// O_NONBLOCK and O_NOCTTY matter when another process puts a FIFO or a terminal in the file's place just now.
constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;

// A symlink or special is looked at by name in several calls. If it is replaced between them, look again; who replaces
// it this often in a row gets it reported as changed.
constexpr int kLooks = 3;

LoadedEntry skipped(Error error) {
  LoadedEntry entry;
  entry.state = LoadedEntry::State::skipped;
  entry.error = std::move(error);
  return entry;
}

Error type_changed() { return Error(ErrorCode::stale).with_note("it became something else meanwhile"); }

LoadedEntry deferred(const struct statx& status) {
  LoadedEntry entry;
  entry.status = status;
  return entry;
}

}  // namespace

bool EntryLoader::is_excluded(const struct statx& status) const {
  return std::ranges::find(exclude_, identity_of(status)) != exclude_.end();
}

LoadedEntry EntryLoader::probe(int directory, const char* name) const {
  auto status = status_at(io_, directory, name);
  if (!status) return skipped(std::move(status.error()));
  if (type_of(*status) == FileType::directory || type_of(*status) == FileType::none) return skipped(type_changed());
  LoadedEntry entry = deferred(*status);
  if (is_excluded(*status)) entry.state = LoadedEntry::State::left_out;
  return entry;
}

LoadedEntry EntryLoader::load_ahead(int directory, const char* name) const {
  LoadedEntry entry = probe(directory, name);
  if (entry.state != LoadedEntry::State::deferred) return entry;
  // Whether a further name of a file needs its content is known only in order.
  if (entry.status.stx_nlink > 1) return entry;
  if (entry.type() != FileType::regular) return load_other(directory, name);
  if (entry.status.stx_size > kReadWholeBytes) return entry;
  return load_regular(directory, name, Sizes::small_only);
}

LoadedEntry EntryLoader::load(int directory, const char* name, const struct statx& probed) const {
  if (type_of(probed) == FileType::regular) return load_regular(directory, name, Sizes::all);
  return load_other(directory, name);
}

LoadedEntry EntryLoader::load_regular(int directory, const char* name, Sizes sizes) const {
  const int returned = uninterrupted([&] { return io_.openat(directory, name, kFileFlags, 0); });
  if (auto opened = base::checked(returned); !opened) return skipped(std::move(opened.error()));
  base::unique_fd fd(io_, returned);
  auto status = status_of(io_, fd.get());
  if (!status) return skipped(std::move(status.error()));
  if (type_of(*status) != FileType::regular) return skipped(type_changed());

  LoadedEntry entry = deferred(*status);
  if (is_excluded(*status)) {
    entry.state = LoadedEntry::State::left_out;
    return entry;
  }
  const bool large = status->stx_size > kReadWholeBytes;
  if (sizes == Sizes::small_only && (large || status->stx_nlink > 1)) return entry;
  entry.attributes = attributes_of(*status);
  HostXattrs xattrs = read_xattrs(io_, fd.get());
  entry.attributes.xattrs = std::move(xattrs.list);
  entry.incomplete = std::move(xattrs.error);
  if (large) {
    entry.state = LoadedEntry::State::streamed;
    entry.stream = std::move(fd);
  } else {
    read_whole(entry, fd.get());
  }
  return entry;
}

void EntryLoader::read_whole(LoadedEntry& entry, int fd) const {
  const auto size = static_cast<std::size_t>(entry.status.stx_size);
  // One byte more than expected: files of /proc and the like say 0 and have content all the same.
  entry.content = base::Buffer(size + 1);
  auto got = base::pread_fully(io_, fd, entry.content.span(), 0);
  if (!got) {
    entry = skipped(std::move(got.error()));
    return;
  }
  auto after = status_of(io_, fd);
  entry.state = LoadedEntry::State::loaded;
  entry.content_bytes = std::min(*got, size);
  entry.changed = *got != size || !after || !unchanged(entry.status, *after);
}

LoadedEntry EntryLoader::load_other(int directory, const char* name) const {
  LoadedEntry entry;
  auto before = status_at(io_, directory, name);
  for (int look = 0; look < kLooks; ++look) {
    if (!before) return skipped(std::move(before.error()));
    entry = deferred(*before);
    const FileType type = entry.type();
    if (type == FileType::directory || type == FileType::regular || type == FileType::none) {
      return skipped(type_changed());
    }
    entry.state = LoadedEntry::State::loaded;
    entry.attributes = attributes_of(*before);
    if (type == FileType::symlink) {
      auto target = read_target(directory, name, before->stx_size);
      if (!target) return skipped(std::move(target.error()));
      entry.target = std::move(*target);
    }
    HostXattrs xattrs = read_xattrs_at(io_, directory, name);
    entry.attributes.xattrs = std::move(xattrs.list);
    entry.incomplete = std::move(xattrs.error);
    auto after = status_at(io_, directory, name);
    if (after && identity_of(*after) == identity_of(*before) && unchanged(*before, *after)) return entry;
    before = std::move(after);
  }
  entry.changed = true;
  return entry;
}

Result<std::string> EntryLoader::read_target(int directory, const char* name, std::uint64_t length) const {
  // The status may be wrong about the length (/proc says 0), and the kernel cuts off silently: room must be left over.
  std::size_t room = std::clamp<std::uint64_t>(length, 63, 65535) + 1;
  while (true) {
    std::string target(room, '\0');
    const ssize_t got = uninterrupted([&] { return io_.readlinkat(directory, name, target.data(), room); });
    if (auto read = base::checked(got); !read) return std::unexpected(std::move(read.error()));
    if (static_cast<std::size_t>(got) < room) {
      target.resize(static_cast<std::size_t>(got));
      return target;
    }
    if (room >= kReadWholeBytes) return std::unexpected(ErrorCode::name_too_long);
    room *= 2;
  }
}

}  // namespace packfs::host
