#include "stress/host_tree.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>

namespace packfs::stress {

namespace {

using Kind = Operation::Kind;

// Neither sticky (sysctl fs.protected_*) nor setgid (inherited, and kept by the privileged).
constexpr std::uint32_t kTakenModeBits = 04777;

constexpr std::array kCalls{Kind::write,    Kind::append,      Kind::write_at, Kind::truncate, Kind::make_directory,
                            Kind::unlink,   Kind::rename,      Kind::link,     Kind::symlink,  Kind::remove_directory,
                            Kind::chmod,    Kind::chown,       Kind::read,     Kind::stat,     Kind::lstat,
                            Kind::readlink, Kind::make_special};

/// "/a/b/": without "." components, which the kernel takes more seriously. Nothing for what only PackFS refuses.
std::optional<std::string> host_path(std::string_view path) {
  std::string result;
  bool slash = false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    slash = end != path.size();
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == ".." || part.size() > NAME_MAX || part.contains('\0')) return std::nullopt;
    if (!part.empty() && part != ".") {
      result.append("/").append(part);
    } else if (part == ".") {
      slash = true;
    }
  }
  if (result.empty() || result.size() + 2 > PATH_MAX) return std::nullopt;
  return slash ? result + "/" : result;
}

Outcome outcome_of(long result) {
  if (result >= 0) return {};
  return {static_cast<ErrorCode>(errno), "", {}};
}

Outcome write_file(const Operation& operation, int flags) {
  if ((operation.option & Operation::kExclusive) != 0) flags |= O_EXCL;
  const int fd = open(operation.path.c_str(), flags | O_WRONLY | O_NONBLOCK | O_CLOEXEC, operation.mode);
  if (fd < 0) return outcome_of(fd);
  const std::string content = content_of(operation);
  const long written = operation.kind == Kind::write_at
                           ? pwrite(fd, content.data(), content.size(), static_cast<off_t>(operation.offset))
                           : ::write(fd, content.data(), content.size());
  const Outcome outcome = outcome_of(written);
  close(fd);
  return outcome;
}

Outcome read_file(const Operation& operation) {
  const int fd = open(operation.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return outcome_of(fd);
  std::string buffer(operation.size, '?');
  const long length = pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(operation.offset));
  Outcome outcome = outcome_of(length);
  if (length >= 0) outcome.text = escaped(buffer.substr(0, static_cast<std::size_t>(length)));
  close(fd);
  return outcome;
}

FileType type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileType::regular;
    case S_IFDIR:
      return FileType::directory;
    case S_IFLNK:
      return FileType::symlink;
    case S_IFIFO:
      return FileType::fifo;
    case S_IFSOCK:
      return FileType::socket;
    default:
      return FileType::none;
  }
}

Outcome stat_file(const Operation& operation) {
  struct stat status{};
  const int flags = operation.kind == Kind::lstat ? AT_SYMLINK_NOFOLLOW : 0;
  if (fstatat(AT_FDCWD, operation.path.c_str(), &status, flags) != 0) return outcome_of(-1);
  ModelStat stat;
  stat.type = type_of(status.st_mode);
  stat.mode = status.st_mode & 07777;
  stat.uid = status.st_uid;
  stat.gid = status.st_gid;
  stat.nlink = status.st_nlink;
  if (stat.type != FileType::directory) stat.size = static_cast<std::uint64_t>(status.st_size);
  return {std::nullopt, stat_text(stat), {}};
}

Outcome rename_file(const Operation& operation) {
  constexpr std::array kFlags{0U, unsigned{RENAME_NOREPLACE}, unsigned{RENAME_EXCHANGE}};
  return outcome_of(
      renameat2(AT_FDCWD, operation.path.c_str(), AT_FDCWD, operation.other.c_str(), kFlags.at(operation.option)));
}

Outcome read_link(const Operation& operation) {
  std::array<char, PATH_MAX> target{};
  const long length = readlink(operation.path.c_str(), target.data(), target.size());
  Outcome outcome = outcome_of(length);
  if (length >= 0) outcome.text = escaped({target.data(), static_cast<std::size_t>(length)});
  return outcome;
}

}  // namespace

std::optional<Operation> for_host(Operation operation) {
  if (operation.kind == Kind::write_owned) operation.kind = Kind::write;
  if (std::ranges::find(kCalls, operation.kind) == kCalls.end()) return std::nullopt;
  const auto path = host_path(operation.path);
  if (!path) return std::nullopt;
  operation.path = *path;
  if (static_cast<off_t>(operation.size) < 0 || static_cast<off_t>(operation.offset) < 0) return std::nullopt;
  if (operation.kind == Kind::rename || operation.kind == Kind::link) {
    const auto other = host_path(operation.other);
    if (!other) return std::nullopt;
    operation.other = *other;
  }
  if (operation.kind == Kind::symlink && (operation.other.empty() || operation.other.contains('\0'))) {
    return std::nullopt;
  }
  if (operation.kind == Kind::symlink && operation.other.ends_with("/.//")) {
    operation.other.resize(operation.other.size() - 3);  // "x/." in the last place is not "x/" to open(2)
  }
  operation.option &= ~(operation.kind <= Kind::append ? Operation::kMakeParents : 0U);
  operation.mode &= kTakenModeBits;
  if (operation.kind == Kind::make_special) {  // devices need more rights
    const bool is_fifo = operation.option == static_cast<std::uint32_t>(FileType::fifo);
    operation.option = static_cast<std::uint32_t>(is_fifo ? FileType::fifo : FileType::socket);
  }
  return operation;
}

Outcome apply_to_host(const Operation& operation) {
  const char* const path = operation.path.c_str();
  const char* const other = operation.other.c_str();
  switch (operation.kind) {
    case Kind::write:
      return write_file(operation, O_CREAT | O_TRUNC);
    case Kind::append:
      return write_file(operation, O_CREAT | O_APPEND);
    case Kind::write_at:
      return write_file(operation, 0);
    case Kind::truncate:
      return outcome_of(truncate(path, static_cast<off_t>(operation.size)));
    case Kind::make_directory: {
      // mkdir(2) leaves the set-id bits out.
      const Outcome made = outcome_of(mkdir(path, operation.mode));
      return made.error ? made : outcome_of(chmod(path, operation.mode));
    }
    case Kind::remove_directory:
      return outcome_of(rmdir(path));
    case Kind::unlink:
      return outcome_of(unlink(path));
    case Kind::rename:
      return rename_file(operation);
    case Kind::link:
      return outcome_of(link(path, other));
    case Kind::symlink:
      return outcome_of(symlink(other, path));
    case Kind::make_special: {
      const bool is_fifo = operation.option == static_cast<std::uint32_t>(FileType::fifo);
      return outcome_of(mknod(path, operation.mode | (is_fifo ? S_IFIFO : S_IFSOCK), 0));
    }
    case Kind::chmod:
      return outcome_of(chmod(path, operation.mode));
    case Kind::chown:
      return outcome_of(fchownat(AT_FDCWD, path, operation.uid, operation.gid,
                                 operation.option == Operation::kFollowed ? 0 : AT_SYMLINK_NOFOLLOW));
    case Kind::read:
      return read_file(operation);
    case Kind::readlink:
      return read_link(operation);
    default:
      return stat_file(operation);
  }
}

}  // namespace packfs::stress
