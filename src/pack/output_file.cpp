#include "pack/output_file.h"

#include <fcntl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/io_loops.h"
#include "path/path.h"

namespace packfs::pack {

namespace {

constexpr int kMaxSymlinks = 40;
constexpr int kMaxNameAttempts = 16;  // 64 random bits: a second one is already unlikely

/// A directory that is open, and a name in it.
struct Place {
  base::unique_fd directory;
  std::string name;
};

/// Opens the directory of `path`, which is relative to `base` unless absolute.
Result<Place> open_parent(base::Io& io, int base, std::string_view path) {
  if (path.empty()) return std::unexpected(ErrorCode::no_entry);
  if (path.find('\0') != std::string_view::npos) return std::unexpected(ErrorCode::invalid);
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return std::unexpected(ErrorCode::is_a_directory);
  if (const auto error = path::check_component(name)) return std::unexpected(*error);
  const std::string parent(slash == std::string_view::npos ? "." : path.substr(0, slash + 1));
  const auto fd = base::checked(io.openat(base, parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!fd) return std::unexpected(fd.error());
  return Place{.directory = base::unique_fd(io, *fd), .name = std::string(name)};
}

/// The target when `place` is a symlink; nothing when a file may be put there.
Result<std::optional<std::string>> follow(base::Io& io, const Place& place) {
  struct statx status{};
  const int code =
      io.statx(place.directory.get(), place.name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MODE, &status);
  if (code == -ENOENT) return std::nullopt;
  if (code < 0) return std::unexpected(Error::from_errno(-code));
  if (S_ISREG(status.stx_mode)) return std::nullopt;
  if (S_ISDIR(status.stx_mode)) return std::unexpected(ErrorCode::is_a_directory);
  if (!S_ISLNK(status.stx_mode)) return std::unexpected(Error(ErrorCode::invalid).with_note("not a regular file"));
  std::array<char, 4096> target;  // PATH_MAX: what a symlink can hold
  const auto length =
      base::checked(io.readlinkat(place.directory.get(), place.name.c_str(), target.data(), target.size()));
  if (!length) return std::unexpected(length.error());
  return std::string(target.data(), static_cast<std::size_t>(*length));
}

Result<Place> resolve(base::Io& io, std::string_view path) {
  auto place = open_parent(io, AT_FDCWD, path);
  for (int hops = 0; place && hops <= kMaxSymlinks; ++hops) {
    const auto target = follow(io, *place);
    if (!target) return std::unexpected(target.error());
    if (!*target) return place;
    place = open_parent(io, place->directory.get(), **target);
  }
  if (!place) return place;
  return std::unexpected(ErrorCode::symlink_loop);
}

std::string temporary_name(std::uint64_t random) {
  std::string name = ".packfs-";
  for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[(random >> shift) & 0xF];
  return name;
}

}  // namespace

OutputFile::OutputFile(base::Io& io, base::unique_fd directory, std::string name) noexcept
    : io_(&io), directory_(std::move(directory)), name_(std::move(name)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : io_(other.io_),
      directory_(std::move(other.directory_)),
      file_(std::move(other.file_)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  io_ = other.io_;
  directory_ = std::move(other.directory_);
  file_ = std::move(other.file_);
  name_ = std::move(other.name_);
  temporary_ = std::exchange(other.temporary_, {});
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (!temporary_.empty()) io_->unlinkat(directory_.get(), temporary_.c_str(), 0);
  temporary_.clear();
}

Result<OutputFile> OutputFile::create(base::Io& io, std::string_view path) {
  auto place = resolve(io, path);
  if (!place) return std::unexpected(place.error().with_path(path));
  OutputFile output(io, std::move(place->directory), std::move(place->name));
  if (auto made = output.make_temporary(); !made) return std::unexpected(made.error().with_path(path));
  return output;
}

Result<void> OutputFile::make_temporary() {
  for (int attempt = 0; attempt < kMaxNameAttempts; ++attempt) {
    std::uint64_t random = 0;
    if (auto got = base::checked(io_->getrandom(&random, sizeof random)); !got) return std::unexpected(got.error());
    // Not made from the file's own name, which may be as long as a name can be.
    std::string name = temporary_name(random);
    const int fd = io_->openat(directory_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd == -EEXIST) continue;
    if (fd < 0) return std::unexpected(Error::from_errno(-fd));
    file_ = base::unique_fd(*io_, fd);
    temporary_ = std::move(name);
    return {};
  }
  return std::unexpected(ErrorCode::exists);
}

Result<void> OutputFile::commit() {
  if (auto synced = base::checked(io_->fsync(file_.get())); !synced) return std::unexpected(synced.error());
  const int moved = io_->renameat2(directory_.get(), temporary_.c_str(), directory_.get(), name_.c_str(), 0);
  if (moved < 0) return std::unexpected(Error::from_errno(-moved));
  temporary_.clear();
  const int synced = io_->fsync(directory_.get());
  // EINVAL: a filesystem that has no sync for directories.
  if (synced < 0 && synced != -EINVAL) return std::unexpected(Error::from_errno(-synced));
  return {};
}

}  // namespace packfs::pack
