#include "support/fault_io.h"

#include <algorithm>
#include <utility>

namespace packfs::testing {

void FaultIo::add(Rule rule) {
  rule.call = rule.when.call;
  const std::scoped_lock lock(mutex_);
  rules_.push_back(std::move(rule));
}

void FaultIo::fail(const When& when, int error_number) {
  add({.when = when, .call = {}, .error_number = error_number, .limit = kNoLimit, .hook = {}, .seen = 0});
}

void FaultIo::shorten(const When& when, std::size_t bytes) {
  add({.when = when, .call = {}, .error_number = 0, .limit = bytes, .hook = {}, .seen = 0});
}

void FaultIo::before(const When& when, std::function<void()> hook) {
  add({.when = when, .call = {}, .error_number = 0, .limit = kNoLimit, .hook = std::move(hook), .seen = 0});
}

void FaultIo::heal() {
  const std::scoped_lock lock(mutex_);
  rules_.clear();
  struck_ = false;
}

std::vector<FaultIo::Call> FaultIo::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

std::uint64_t FaultIo::count(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  if (name.empty()) return log_.size();
  return static_cast<std::uint64_t>(
      std::count_if(log_.begin(), log_.end(), [&](const Call& call) { return call.name == name; }));
}

void FaultIo::clear_log() {
  const std::scoped_lock lock(mutex_);
  log_.clear();
}

bool FaultIo::struck() const {
  const std::scoped_lock lock(mutex_);
  return struck_;
}

std::size_t FaultIo::open_descriptors() const {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

std::size_t FaultIo::most_open_descriptors() const {
  const std::scoped_lock lock(mutex_);
  return most_open_;
}

FaultIo::Verdict FaultIo::judge(const Call& call) {
  const std::scoped_lock lock(mutex_);
  // Before the call: the kernel may give the number to another thread's open as soon as it is closed.
  if (call.name == "close") open_.erase(call.fd);
  Verdict verdict;
  for (Rule& rule : rules_) {
    if (!rule.call.empty() && rule.call != call.name) continue;
    if (!rule.when.path.empty() && rule.when.path != call.path) continue;
    ++rule.seen;
    if (rule.seen < rule.when.nth || (rule.seen > rule.when.nth && !rule.when.for_ever)) continue;
    if (rule.hook) verdict.hooks.push_back(rule.hook);
    if (verdict.error_number == 0) verdict.error_number = rule.error_number;
    verdict.limit = std::min(verdict.limit, rule.limit);
  }
  return verdict;
}

void FaultIo::finish(Call call) {
  const std::scoped_lock lock(mutex_);
  struck_ = struck_ || call.injected;
  if (call.result >= 0 && (call.name == "openat" || call.name == "openat2" || call.name == "dup")) {
    open_.insert(static_cast<int>(call.result));
    most_open_ = std::max(most_open_, open_.size());
  }
  log_.push_back(std::move(call));
}

// `make(length)` makes the call with a length of at most `length`; plain calls pass 0 and have no length to cut.
template <class Make>
auto FaultIo::transfer(std::string_view name, int fd, const char* path, std::size_t length, Make make) {
  using T = decltype(make(length));
  Call call{.name = name, .fd = fd, .path = path != nullptr ? path : "", .result = 0, .injected = false};
  const Verdict verdict = judge(call);
  for (const auto& hook : verdict.hooks) hook();
  T result = 0;
  if (verdict.error_number != 0) {
    if (name == "close") make(length);
    result = static_cast<T>(-verdict.error_number);
    call.injected = true;
  } else {
    call.injected = verdict.limit < length;
    const std::size_t allowed = std::min(length, verdict.limit);
    if (allowed > 0 || length == 0) result = make(allowed);
  }
  call.result = static_cast<std::int64_t>(result);
  finish(std::move(call));
  return result;
}

template <class Make>
auto FaultIo::plain(std::string_view name, int fd, const char* path, Make make) {
  return transfer(name, fd, path, 0, [&](std::size_t) { return make(); });
}

int FaultIo::openat(int dirfd, const char* path, int flags, mode_t mode) {
  return plain("openat", dirfd, path, [&] { return inner_.openat(dirfd, path, flags, mode); });
}
int FaultIo::openat2(int dirfd, const char* path, const open_how& how) {
  return plain("openat2", dirfd, path, [&] { return inner_.openat2(dirfd, path, how); });
}
int FaultIo::close(int fd) {
  return plain("close", fd, nullptr, [&] { return inner_.close(fd); });
}
int FaultIo::dup(int fd) {
  return plain("dup", fd, nullptr, [&] { return inner_.dup(fd); });
}

ssize_t FaultIo::read(int fd, void* buffer, std::size_t length) {
  return transfer("read", fd, nullptr, length, [&](std::size_t n) { return inner_.read(fd, buffer, n); });
}
ssize_t FaultIo::pread(int fd, void* buffer, std::size_t length, off_t offset) {
  return transfer("pread", fd, nullptr, length, [&](std::size_t n) { return inner_.pread(fd, buffer, n, offset); });
}
ssize_t FaultIo::write(int fd, const void* buffer, std::size_t length) {
  return transfer("write", fd, nullptr, length, [&](std::size_t n) { return inner_.write(fd, buffer, n); });
}
ssize_t FaultIo::pwrite(int fd, const void* buffer, std::size_t length, off_t offset) {
  return transfer("pwrite", fd, nullptr, length, [&](std::size_t n) { return inner_.pwrite(fd, buffer, n, offset); });
}
ssize_t FaultIo::writev(int fd, const iovec* pieces, int count) {
  std::vector<iovec> cut(pieces, pieces + std::max(count, 0));
  std::size_t length = 0;
  for (const iovec& piece : cut) length += piece.iov_len;
  return transfer("writev", fd, nullptr, length, [&](std::size_t n) {
    for (iovec& piece : cut) {
      piece.iov_len = std::min(piece.iov_len, n);
      n -= piece.iov_len;
    }
    return inner_.writev(fd, cut.data(), count);
  });
}
off_t FaultIo::lseek(int fd, off_t offset, int whence) {
  return plain("lseek", fd, nullptr, [&] { return inner_.lseek(fd, offset, whence); });
}
int FaultIo::ftruncate(int fd, off_t length) {
  return plain("ftruncate", fd, nullptr, [&] { return inner_.ftruncate(fd, length); });
}
int FaultIo::fallocate(int fd, int mode, off_t offset, off_t length) {
  return plain("fallocate", fd, nullptr, [&] { return inner_.fallocate(fd, mode, offset, length); });
}
int FaultIo::fsync(int fd) {
  return plain("fsync", fd, nullptr, [&] { return inner_.fsync(fd); });
}
int FaultIo::sync_file_range(int fd, off_t offset, off_t length) {
  return plain("sync_file_range", fd, nullptr, [&] { return inner_.sync_file_range(fd, offset, length); });
}
int FaultIo::fdatasync(int fd) {
  return plain("fdatasync", fd, nullptr, [&] { return inner_.fdatasync(fd); });
}
int FaultIo::try_lock(int fd) {
  return plain("try_lock", fd, nullptr, [&] { return inner_.try_lock(fd); });
}
ssize_t FaultIo::copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t length) {
  return transfer("copy_file_range", in, nullptr, length,
                  [&](std::size_t n) { return inner_.copy_file_range(in, in_offset, out, out_offset, n); });
}

int FaultIo::statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) {
  return plain("statx", dirfd, path, [&] { return inner_.statx(dirfd, path, flags, mask, out); });
}
ssize_t FaultIo::getdents64(int fd, void* buffer, std::size_t length) {
  return plain("getdents64", fd, nullptr, [&] { return inner_.getdents64(fd, buffer, length); });
}
ssize_t FaultIo::readlinkat(int dirfd, const char* path, char* buffer, std::size_t length) {
  return transfer("readlinkat", dirfd, path, length,
                  [&](std::size_t n) { return inner_.readlinkat(dirfd, path, buffer, n); });
}

int FaultIo::mkdirat(int dirfd, const char* path, mode_t mode) {
  return plain("mkdirat", dirfd, path, [&] { return inner_.mkdirat(dirfd, path, mode); });
}
int FaultIo::mknodat(int dirfd, const char* path, mode_t mode, dev_t device) {
  return plain("mknodat", dirfd, path, [&] { return inner_.mknodat(dirfd, path, mode, device); });
}
int FaultIo::symlinkat(const char* target, int dirfd, const char* path) {
  return plain("symlinkat", dirfd, path, [&] { return inner_.symlinkat(target, dirfd, path); });
}
int FaultIo::linkat(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, int flags) {
  return plain("linkat", old_dirfd, old_path,
               [&] { return inner_.linkat(old_dirfd, old_path, new_dirfd, new_path, flags); });
}
int FaultIo::unlinkat(int dirfd, const char* path, int flags) {
  return plain("unlinkat", dirfd, path, [&] { return inner_.unlinkat(dirfd, path, flags); });
}
int FaultIo::renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) {
  return plain("renameat2", old_dirfd, old_path,
               [&] { return inner_.renameat2(old_dirfd, old_path, new_dirfd, new_path, flags); });
}

int FaultIo::fchmod(int fd, mode_t mode) {
  return plain("fchmod", fd, nullptr, [&] { return inner_.fchmod(fd, mode); });
}
int FaultIo::fchmodat(int dirfd, const char* path, mode_t mode) {
  return plain("fchmodat", dirfd, path, [&] { return inner_.fchmodat(dirfd, path, mode); });
}
int FaultIo::fchownat(int dirfd, const char* path, uid_t uid, gid_t gid) {
  return plain("fchownat", dirfd, path, [&] { return inner_.fchownat(dirfd, path, uid, gid); });
}
int FaultIo::utimensat(int dirfd, const char* path, const timespec times[2]) {
  return plain("utimensat", dirfd, path, [&] { return inner_.utimensat(dirfd, path, times); });
}

ssize_t FaultIo::flistxattr(int fd, char* list, std::size_t length) {
  return plain("flistxattr", fd, nullptr, [&] { return inner_.flistxattr(fd, list, length); });
}
ssize_t FaultIo::fgetxattr(int fd, const char* name, void* value, std::size_t length) {
  return plain("fgetxattr", fd, nullptr, [&] { return inner_.fgetxattr(fd, name, value, length); });
}
int FaultIo::fsetxattr(int fd, const char* name, const void* value, std::size_t length) {
  return plain("fsetxattr", fd, nullptr, [&] { return inner_.fsetxattr(fd, name, value, length); });
}
int FaultIo::fremovexattr(int fd, const char* name) {
  return plain("fremovexattr", fd, nullptr, [&] { return inner_.fremovexattr(fd, name); });
}
ssize_t FaultIo::listxattrat(int dirfd, const char* path, char* list, std::size_t length) {
  return plain("listxattrat", dirfd, path, [&] { return inner_.listxattrat(dirfd, path, list, length); });
}
ssize_t FaultIo::getxattrat(int dirfd, const char* path, const char* name, void* value, std::size_t length) {
  return plain("getxattrat", dirfd, path, [&] { return inner_.getxattrat(dirfd, path, name, value, length); });
}
int FaultIo::setxattrat(int dirfd, const char* path, const char* name, const void* value, std::size_t length) {
  return plain("setxattrat", dirfd, path, [&] { return inner_.setxattrat(dirfd, path, name, value, length); });
}

int FaultIo::mmap(std::size_t length, int fd, off_t offset, void** address) {
  return plain("mmap", fd, nullptr, [&] { return inner_.mmap(length, fd, offset, address); });
}
int FaultIo::munmap(void* address, std::size_t length) {
  return plain("munmap", -1, nullptr, [&] { return inner_.munmap(address, length); });
}
int FaultIo::madvise(void* address, std::size_t length, int advice) {
  return plain("madvise", -1, nullptr, [&] { return inner_.madvise(address, length, advice); });
}
ssize_t FaultIo::getrandom(void* buffer, std::size_t length) {
  return transfer("getrandom", -1, nullptr, length, [&](std::size_t n) { return inner_.getrandom(buffer, n); });
}
int FaultIo::isatty(int fd) {
  return plain("isatty", fd, nullptr, [&] { return inner_.isatty(fd); });
}

}  // namespace packfs::testing
