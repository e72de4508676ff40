#include "support/crash_disk.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <span>
#include <utility>

namespace packfs::testing {

using disk::DataChange;
using disk::Inode;
using disk::PageCache;

namespace {

std::vector<std::byte> copy_of(const void* buffer, std::size_t length) {
  const auto* bytes = static_cast<const std::byte*>(buffer);
  return {bytes, bytes + length};
}

bool too_large(std::uint64_t offset, std::uint64_t length) {
  return offset > PageCache::kMaxBytes || length > PageCache::kMaxBytes - offset;
}

}  // namespace

CrashDisk::CrashDisk(std::uint64_t seed) : random_(seed), root_(make_inode(next_number_++, S_IFDIR | 0755)) {
  root_->parent = root_;
}

CrashDisk::~CrashDisk() {
  // What programs see and what the disk holds can each have a directory in the other.
  for (const auto& known : directories_) {
    if (const auto directory = known.lock()) {
      directory->names.clear();
      directory->durable_names.clear();
    }
  }
}

std::uint64_t CrashDisk::calls() const {
  const std::scoped_lock lock(mutex_);
  return log_.size();
}

std::vector<std::string_view> CrashDisk::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

void CrashDisk::crash_at(std::uint64_t n) {
  const std::scoped_lock lock(mutex_);
  crash_at_ = n;
}

bool CrashDisk::crashed() const {
  const std::scoped_lock lock(mutex_);
  return crashed_;
}

void CrashDisk::fail(std::uint64_t n, int error_number, Times times) {
  const std::scoped_lock lock(mutex_);
  faults_.push_back({.n = n, .error_number = error_number, .times = times});
}

void CrashDisk::fail_sync(std::uint64_t n, int error_number) {
  const std::scoped_lock lock(mutex_);
  syncs_to_failure_ = n;
  sync_error_ = error_number;
}

void CrashDisk::restart() {
  const std::scoped_lock lock(mutex_);
  open_.clear();
  faults_.clear();
  syncs_to_failure_ = 0;
  crash_at_ = 0;
  crashed_ = false;
}

std::size_t CrashDisk::open_descriptors() const {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

/// What begins each call that is counted. `call` outlives the disk.
int CrashDisk::admit(std::string_view call) {
  if (crash_at_ != 0 && log_.size() + 1 >= crash_at_) crashed_ = true;
  if (crashed_) return -EIO;
  log_.push_back(call);
  for (const Fault& fault : faults_) {
    const bool strikes = fault.times == Times::once ? log_.size() == fault.n : log_.size() >= fault.n;
    if (strikes) return -fault.error_number;
  }
  return 0;
}

bool CrashDisk::OpenFile::readable() const { return (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_WRONLY; }
bool CrashDisk::OpenFile::writable() const { return (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY; }

CrashDisk::OpenFile* CrashDisk::find(int fd) {
  const auto found = open_.find(fd);
  return found == open_.end() ? nullptr : found->second.get();
}

int CrashDisk::give(std::shared_ptr<OpenFile> file) {
  open_.emplace(next_descriptor_, std::move(file));
  return next_descriptor_++;
}

std::shared_ptr<Inode> CrashDisk::make_inode(std::uint64_t number, mode_t mode) {
  auto inode = std::make_shared<Inode>(number, mode);
  if (inode->is_directory()) directories_.push_back(inode);
  return inode;
}

int CrashDisk::close(int fd) {
  const std::scoped_lock lock(mutex_);
  return open_.erase(fd) == 0 ? -EBADF : 0;
}

int CrashDisk::dup(int fd) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  const auto found = open_.find(fd);
  return found == open_.end() ? -EBADF : give(found->second);
}

ssize_t CrashDisk::read_at(const OpenFile& file, std::uint64_t offset, void* buffer, std::size_t length) const {
  const Inode& inode = *file.inode;
  if (!file.readable()) return -EBADF;
  if (inode.is_directory()) return -EISDIR;
  if (offset >= inode.size) return 0;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length, inode.size - offset));
  inode.cache->read(offset, {static_cast<std::byte*>(buffer), count});
  return static_cast<ssize_t>(count);
}

ssize_t CrashDisk::read(int fd, void* buffer, std::size_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  const ssize_t got = read_at(*file, file->offset, buffer, length);
  if (got > 0) file->offset += static_cast<std::uint64_t>(got);
  return got;
}

ssize_t CrashDisk::pread(int fd, void* buffer, std::size_t length, off_t offset) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  const OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  if (offset < 0) return -EINVAL;
  return read_at(*file, static_cast<std::uint64_t>(offset), buffer, length);
}

ssize_t CrashDisk::write_at(OpenFile& file, std::uint64_t offset, std::vector<std::byte> bytes) {
  if (!file.writable()) return -EBADF;
  const std::uint64_t length = bytes.size();
  if (length == 0) return 0;
  if (too_large(offset, length)) return -EFBIG;
  file.inode->change(
      {.kind = DataChange::Kind::write, .grows = true, .offset = offset, .length = length, .bytes = std::move(bytes)});
  return static_cast<ssize_t>(length);
}

/// Writes where the descriptor stands.
ssize_t CrashDisk::append(int fd, std::vector<std::byte> bytes) {
  OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  const std::uint64_t offset = (file->flags & O_APPEND) != 0 ? file->inode->size : file->offset;
  const ssize_t written = write_at(*file, offset, std::move(bytes));
  if (written > 0) file->offset = offset + static_cast<std::uint64_t>(written);
  return written;
}

ssize_t CrashDisk::write(int fd, const void* buffer, std::size_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("write"); error != 0) return error;
  return append(fd, copy_of(buffer, length));
}

ssize_t CrashDisk::pwrite(int fd, const void* buffer, std::size_t length, off_t offset) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("pwrite"); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  if (offset < 0) return -EINVAL;
  // As Linux does: with O_APPEND the offset counts for nothing.
  const bool at_end = (file->flags & O_APPEND) != 0;
  return write_at(*file, at_end ? file->inode->size : static_cast<std::uint64_t>(offset), copy_of(buffer, length));
}

ssize_t CrashDisk::writev(int fd, const iovec* pieces, int count) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("writev"); error != 0) return error;
  if (count < 0 || count > IOV_MAX) return -EINVAL;
  std::vector<std::byte> bytes;
  for (const iovec& piece : std::span(pieces, static_cast<std::size_t>(count))) {
    const auto* begin = static_cast<const std::byte*>(piece.iov_base);
    bytes.insert(bytes.end(), begin, begin + piece.iov_len);
  }
  return append(fd, std::move(bytes));
}

off_t CrashDisk::lseek(int fd, off_t offset, int whence) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  if (file->inode->is_directory() && (whence != SEEK_SET || offset != 0)) return -EINVAL;
  off_t base = 0;
  if (whence == SEEK_CUR) base = static_cast<off_t>(file->offset);
  if (whence == SEEK_END) base = static_cast<off_t>(file->inode->size);
  if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) return -EINVAL;
  off_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) return -EINVAL;
  file->offset = static_cast<std::uint64_t>(target);
  return target;
}

int CrashDisk::ftruncate(int fd, off_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("ftruncate"); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr) return -EBADF;
  if (length < 0 || !file->writable()) return -EINVAL;
  const auto size = static_cast<std::uint64_t>(length);
  if (too_large(size, 0)) return -EFBIG;
  if (size == file->inode->size) return 0;
  file->inode->change({.kind = DataChange::Kind::resize, .grows = true, .offset = 0, .length = size, .bytes = {}});
  return 0;
}

int CrashDisk::fallocate(int fd, int mode, off_t offset, off_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("fallocate"); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr || !file->writable()) return -EBADF;
  if (offset < 0 || length <= 0) return -EINVAL;
  const bool keeps_size = (mode & FALLOC_FL_KEEP_SIZE) != 0;
  const int what = mode & ~FALLOC_FL_KEEP_SIZE;
  if (what != 0 && what != FALLOC_FL_ZERO_RANGE && what != FALLOC_FL_PUNCH_HOLE) return -EOPNOTSUPP;
  if (what == FALLOC_FL_PUNCH_HOLE && !keeps_size) return -EOPNOTSUPP;
  if (too_large(static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length))) return -EFBIG;
  file->inode->change({.kind = what == 0 ? DataChange::Kind::allocate : DataChange::Kind::zero,
                       .grows = !keeps_size,
                       .offset = static_cast<std::uint64_t>(offset),
                       .length = static_cast<std::uint64_t>(length),
                       .bytes = {}});
  return 0;
}

int CrashDisk::sync(std::string_view call, int fd) {
  const std::scoped_lock lock(mutex_);
  int error = admit(call);
  if (error == 0 && syncs_to_failure_ != 0) {
    --syncs_to_failure_;
    if (syncs_to_failure_ == 0) error = -sync_error_;
  }
  OpenFile* file = find(fd);
  if (error != 0) {
    if (!crashed_ && file != nullptr) file->inode->changes.clear();
    return error;
  }
  if (file == nullptr || (file->flags & O_PATH) != 0) return -EBADF;
  if (file->inode->is_directory()) {
    sync_names(*file->inode);
  } else {
    file->inode->sync();
  }
  return 0;
}

int CrashDisk::fsync(int fd) { return sync("fsync", fd); }
int CrashDisk::try_lock(int fd) {
  const std::scoped_lock lock(mutex_);
  if (const int dead = alive(); dead != 0) return dead;
  OpenFile* const file = find(fd);
  if (file == nullptr) return -EBADF;
  for (const auto& [other, opened] : open_) {
    if (opened->has_lock && opened.get() != file && opened->inode == file->inode) return -EAGAIN;
  }
  file->has_lock = true;
  return 0;
}
int CrashDisk::fdatasync(int fd) { return sync("fdatasync", fd); }

/// What has begun to be written may be there, as all that was not synced may.
int CrashDisk::sync_file_range(int fd, off_t offset, off_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("sync_file_range"); error != 0) return error;
  const OpenFile* file = find(fd);
  if (file == nullptr || (file->flags & O_PATH) != 0) return -EBADF;
  if (offset < 0 || length < 0) return -EINVAL;
  return file->inode->is_directory() ? -ESPIPE : 0;
}

int CrashDisk::mmap(std::size_t length, int fd, off_t offset, void** address) {
  if (fd < 0) return base::system_io().mmap(length, fd, offset, address);
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  const OpenFile* file = find(fd);
  if (file == nullptr || (file->flags & O_PATH) != 0) return -EBADF;
  if (!file->readable()) return -EACCES;
  if (file->inode->is_directory()) return -ENODEV;
  return file->inode->cache->map(length, offset, address);
}

int CrashDisk::munmap(void* address, std::size_t length) { return base::system_io().munmap(address, length); }
int CrashDisk::madvise(void* address, std::size_t length, int advice) {
  return base::system_io().madvise(address, length, advice);
}

ssize_t CrashDisk::getrandom(void* buffer, std::size_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  for (std::byte& byte : std::span(static_cast<std::byte*>(buffer), length)) byte = static_cast<std::byte>(random_());
  return static_cast<ssize_t>(length);
}

int CrashDisk::isatty(int /*fd*/) { return 0; }

}  // namespace packfs::testing
