#include "store/directory.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/alloc.h"
#include "base/io_loops.h"

namespace packfs::store {
namespace {

constexpr std::string_view kSegmentPrefix = "segment-";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kIdDigits = 16;
/// A manifest of as many segments that nobody has; more is not read into memory.
constexpr std::uint64_t kMostManifestBytes = std::uint64_t{64} << 20;
constexpr int kMostLockAttempts = 100;  // the file was replaced each time just before it was locked
constexpr mode_t kFileMode = 0666;
constexpr mode_t kDirectoryMode = 0777;

Result<void> done(int returned) {
  if (returned < 0) return std::unexpected(Error::from_errno(-returned));
  return {};
}

}  // namespace

std::string segment_name(std::uint64_t id) {
  std::string name(kSegmentPrefix);
  for (std::size_t digit = kIdDigits; digit-- > 0;) name += kDigits[id >> (4 * digit) & 15];
  return name;
}

std::optional<std::uint64_t> segment_id_of(std::string_view name) noexcept {
  if (!name.starts_with(kSegmentPrefix) || name.size() != kSegmentPrefix.size() + kIdDigits) return std::nullopt;
  std::uint64_t id = 0;
  for (const char digit : name.substr(kSegmentPrefix.size())) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    id = id << 4 | value;
  }
  return id;
}

Result<Directory> Directory::open(base::Io& io, std::string_view path) {
  const std::string name(path);
  const auto fd = base::checked(io.openat(AT_FDCWD, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!fd) return std::unexpected(fd.error().with_path(path));
  return Directory(io, base::unique_fd(io, *fd), path);
}

Result<Directory> Directory::make(base::Io& io, std::string_view path) {
  auto there = open(io, path);
  if (there || there.error().code() != ErrorCode::no_entry) return there;
  const std::string name(path);
  if (const int made = io.mkdirat(AT_FDCWD, name.c_str(), kDirectoryMode); made < 0 && made != -EEXIST) {
    return std::unexpected(Error::from_errno(-made).with_path(path));
  }
  return open(io, path);
}

std::string Directory::path_of(std::string_view name) const { return path_ + "/" + std::string(name); }

Result<std::vector<std::string>> Directory::names() const {
  // A descriptor of its own: the other's position stays where it is.
  const auto fd = open_file(".", O_RDONLY | O_DIRECTORY);
  if (!fd) return std::unexpected(fd.error());
  std::vector<std::string> names;
  alignas(std::uint64_t) std::array<std::byte, 16384> buffer;
  for (;;) {
    const auto filled = base::checked(io_->getdents64(fd->get(), buffer.data(), buffer.size()));
    if (!filled) return std::unexpected(filled.error().with_path(path_));
    if (*filled == 0) return names;
    for (std::size_t at = 0; at < static_cast<std::size_t>(*filled);) {
      dirent64 entry{};
      const std::size_t fixed = offsetof(dirent64, d_name);
      std::memcpy(&entry, buffer.data() + at, fixed);
      const std::string name(reinterpret_cast<const char*>(buffer.data() + at + fixed));
      if (name != "." && name != "..") names.push_back(name);
      at += entry.d_reclen;
    }
  }
}

Result<base::unique_fd> Directory::open_file(const std::string& name, int flags) const {
  // A FIFO of that name must not be waited for.
  const int fd = io_->openat(fd_.get(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kFileMode);
  // A symlink; a socket or a device without a driver.
  if (fd == -ELOOP || fd == -ENXIO) return std::unexpected(not_a_file(name));
  if (fd < 0) return std::unexpected(at(Error::from_errno(-fd), name));
  return base::unique_fd(*io_, fd);
}

Error Directory::not_a_file(std::string_view name) const {
  return at(Error(ErrorCode::corrupt).with_note("not a regular file"), name);
}

Result<std::optional<Manifest>> Directory::manifest() const {
  const auto fd = open_file(kCurrent, O_RDONLY);
  if (!fd && fd.error().code() == ErrorCode::no_entry) return std::nullopt;
  if (!fd) return std::unexpected(fd.error());
  struct statx status{};
  if (auto known = done(io_->statx(fd->get(), "", AT_EMPTY_PATH, STATX_SIZE | STATX_TYPE, &status)); !known) {
    return std::unexpected(at(known.error(), kCurrent));
  }
  if (!S_ISREG(status.stx_mode)) return std::unexpected(not_a_file(kCurrent));
  if (status.stx_size > kMostManifestBytes) {
    return std::unexpected(at(Error(ErrorCode::corrupt).with_note("too long for a manifest"), kCurrent));
  }
  std::vector<std::byte> bytes(status.stx_size);
  const auto read = base::pread_fully(*io_, fd->get(), bytes, 0);
  if (!read) return std::unexpected(at(read.error(), kCurrent));
  auto manifest = decode_manifest(std::span(bytes).first(*read));
  if (!manifest) return std::unexpected(at(manifest.error(), kCurrent));
  return std::move(*manifest);
}

Result<void> Directory::write_next_manifest(const Manifest& manifest) const {
  const auto fd = open_file(kNextCurrent, O_WRONLY | O_CREAT | O_TRUNC);
  if (!fd) return std::unexpected(fd.error());
  auto written = base::pwrite_fully(*io_, fd->get(), encode_manifest(manifest), 0);
  if (written) written = done(io_->fsync(fd->get()));
  if (written) return {};
  static_cast<void>(remove(kNextCurrent));
  return std::unexpected(at(written.error(), kNextCurrent));
}

Result<void> Directory::switch_manifest() const {
  if (auto moved = done(io_->renameat2(fd_.get(), kNextCurrent, fd_.get(), kCurrent, 0)); !moved) {
    return std::unexpected(at(moved.error(), kNextCurrent));
  }
  return sync();
}

Result<void> Directory::remove(const std::string& name) const {
  if (auto removed = done(io_->unlinkat(fd_.get(), name.c_str(), 0)); !removed) {
    return std::unexpected(at(removed.error(), name));
  }
  return {};
}

Result<void> Directory::sync() const {
  if (auto synced = done(io_->fsync(fd_.get())); !synced) return std::unexpected(synced.error().with_path(path_));
  return {};
}

Result<void> Directory::sync_above() const {
  const auto fd = open_file("..", O_RDONLY | O_DIRECTORY);
  if (!fd && fd.error().code() == ErrorCode::access_denied) return {};
  if (!fd) return std::unexpected(fd.error());
  if (auto synced = done(io_->fsync(fd->get())); !synced) return std::unexpected(at(synced.error(), ".."));
  return {};
}

Result<base::unique_fd> Directory::lock() const {
  for (int attempt = 0; attempt < kMostLockAttempts; ++attempt) {
    auto fd = open_file(kLock, O_RDWR | O_CREAT);
    if (!fd) return fd;
    const int locked = io_->try_lock(fd->get());
    if (locked == -EAGAIN || locked == -EACCES) {
      return std::unexpected(at(Error(ErrorCode::busy).with_note("another writer has the store open"), kLock));
    }
    if (locked < 0) return std::unexpected(at(Error::from_errno(-locked), kLock));
    // Somebody may have taken the name away between opening and locking.
    struct statx mine{};
    struct statx named{};
    if (auto known = done(io_->statx(fd->get(), "", AT_EMPTY_PATH, STATX_INO, &mine)); !known) {
      return std::unexpected(at(known.error(), kLock));
    }
    const int found = io_->statx(fd_.get(), kLock, AT_SYMLINK_NOFOLLOW, STATX_INO, &named);
    if (found == 0 && mine.stx_ino == named.stx_ino && mine.stx_dev_major == named.stx_dev_major &&
        mine.stx_dev_minor == named.stx_dev_minor) {
      return fd;
    }
  }
  return std::unexpected(at(Error(ErrorCode::busy).with_note("the lock file keeps changing"), kLock));
}

}  // namespace packfs::store
