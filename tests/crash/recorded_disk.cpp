#include "crash/recorded_disk.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/packs.h"

namespace packfs::testing {

RecordedDisk::RecordedDisk(std::string root) : FaultIo(base::system_io()), root_(std::move(root)) {
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    const Bytes bytes = read_host_file(entry.path());
    names_[entry.path().filename()] = files_.size();
    files_.push_back({bytes, {}, bytes.size(), bytes.size()});
  }
  durable_names_ = names_;
}

void RecordedDisk::die_at(std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  die_at_ = changes_ + n;
}
void RecordedDisk::fail_sync_at(std::uint64_t n, bool for_ever) {
  const std::lock_guard lock(mutex_);
  fail_sync_at_ = syncs_ + n;
  fail_for_ever_ = for_ever;
}
std::uint64_t RecordedDisk::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

bool RecordedDisk::dies() { return ++changes_ >= die_at_; }

int RecordedDisk::openat(int dirfd, const char* path, int flags, mode_t mode) {
  const std::lock_guard lock(mutex_);
  clear_log();
  const bool is_new = (flags & O_CREAT) != 0 && !names_.contains(path);
  const bool cuts = (flags & O_TRUNC) != 0 && names_.contains(path);
  if ((is_new || cuts) && dies()) return -EIO;
  const int fd = FaultIo::openat(dirfd, path, flags, mode);
  if (fd < 0) return fd;
  if (is_new) {
    names_[path] = files_.size();
    name_changes_.push_back({What::made, path, {}, files_.size()});
    files_.emplace_back();
  }
  const auto named = names_.find(path);
  open_[fd] = named != names_.end() ? named->second : kDirectory;
  if (cuts) {
    File& file = files_[named->second];
    file.pending.push_back({0, 0, {}});
    file.size = 0;
  }
  return fd;
}

int RecordedDisk::close(int fd) {
  const std::lock_guard lock(mutex_);
  open_.erase(fd);
  return FaultIo::close(fd);
}

ssize_t RecordedDisk::pwrite(int fd, const void* buffer, std::size_t length, off_t offset) {
  const std::lock_guard lock(mutex_);
  if (dies()) return -EIO;
  const ssize_t written = FaultIo::pwrite(fd, buffer, length, offset);
  if (written <= 0) return written;
  File& file = files_[open_.at(fd)];
  const auto* bytes = static_cast<const std::byte*>(buffer);
  const auto at = static_cast<std::uint64_t>(offset);
  file.size = std::max<std::uint64_t>(file.size, at + static_cast<std::uint64_t>(written));
  file.written = std::max<std::uint64_t>(file.written, at + static_cast<std::uint64_t>(written));
  file.pending.push_back({at, file.size, {bytes, bytes + written}});
  return written;
}

int RecordedDisk::ftruncate(int fd, off_t length) {
  const std::lock_guard lock(mutex_);
  if (dies()) return -EIO;
  const int done = FaultIo::ftruncate(fd, length);
  if (done != 0) return done;
  File& file = files_[open_.at(fd)];
  file.size = static_cast<std::uint64_t>(length);
  file.pending.push_back({0, file.size, {}});
  return done;
}

int RecordedDisk::fallocate(int fd, int mode, off_t offset, off_t length) {
  const std::lock_guard lock(mutex_);
  if (dies()) return -EIO;
  if (mode != 0) return FaultIo::fallocate(fd, mode, offset, length);
  File& file = files_[open_.at(fd)];
  file.size = std::max<std::uint64_t>(file.size, static_cast<std::uint64_t>(offset + length));
  // The same to see, and no memory for what is never written.
  const int done = FaultIo::ftruncate(fd, static_cast<off_t>(file.size));
  if (done != 0) return done;
  file.pending.push_back({0, file.size, {}});
  return done;
}

int RecordedDisk::fsync(int fd) { return synced(fd, false); }
int RecordedDisk::fdatasync(int fd) { return synced(fd, true); }

int RecordedDisk::synced(int fd, bool data_only) {
  {
    const std::lock_guard lock(mutex_);
    if (dies()) return -EIO;
    ++syncs_;
    if (syncs_ == fail_sync_at_ || (fail_for_ever_ && syncs_ > fail_sync_at_)) {
      const std::size_t file = open_.at(fd);
      if (file == kDirectory) {
        name_changes_.clear();
      } else {
        files_[file].pending.clear();
      }
      return -EIO;
    }
    // What comes while a real disk syncs is not promised; here it is not there yet.
    sync_model(fd);
  }
  return data_only ? FaultIo::fdatasync(fd) : FaultIo::fsync(fd);
}

void RecordedDisk::sync_model(int fd) {
  const std::size_t index = open_.at(fd);
  if (index == kDirectory) {
    durable_names_ = names_;
    name_changes_.clear();
    return;
  }
  File& file = files_[index];
  for (const Change& change : file.pending) apply(file.durable, change);
  file.pending.clear();
}

int RecordedDisk::unlinkat(int dirfd, const char* path, int flags) {
  const std::lock_guard lock(mutex_);
  if (dies()) return -EIO;
  const int done = FaultIo::unlinkat(dirfd, path, flags);
  if (done != 0) return done;
  name_changes_.push_back({What::removed, path, {}, names_.at(path)});
  names_.erase(path);
  return done;
}

int RecordedDisk::renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) {
  const std::lock_guard lock(mutex_);
  if (dies()) return -EIO;
  const int done = FaultIo::renameat2(old_dirfd, old_path, new_dirfd, new_path, flags);
  if (done != 0) return done;
  const std::size_t file = names_.at(old_path);
  names_.erase(old_path);
  names_[new_path] = file;
  name_changes_.push_back({What::renamed, old_path, new_path, file});
  return done;
}

void RecordedDisk::apply(Bytes& bytes, const Change& change) {
  if (change.bytes.empty()) {
    bytes.resize(change.size);
    return;
  }
  bytes.resize(std::max<std::size_t>(bytes.size(), change.offset + change.bytes.size()));
  std::ranges::copy(change.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

/// One change of a file, in part.
void RecordedDisk::damage(Bytes& bytes, const Change& change, Damage kind, std::mt19937_64& random) {
  if (change.bytes.empty()) {
    if (kind == Damage::grown || kind == Damage::zeroed || random() % 2 == 0) apply(bytes, change);
    return;
  }
  const std::size_t length = change.bytes.size();
  Change part = change;
  switch (kind) {
    case Damage::sectors: {
      // As the disk has them: counted from the file's beginning.
      for (std::uint64_t begin = 0; begin < length;) {
        const std::uint64_t end =
            std::min<std::uint64_t>(length, (change.offset + begin) / 512 * 512 + 512 - change.offset);
        part.offset = change.offset + begin;
        part.bytes.assign(change.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                          change.bytes.begin() + static_cast<std::ptrdiff_t>(end));
        if (random() % 2 == 0) apply(bytes, part);
        begin = end;
      }
      return;
    }
    case Damage::bytes:
      part.bytes.resize(1 + random() % length);
      return apply(bytes, part);
    case Damage::zeroed:
      std::ranges::fill(part.bytes, std::byte{0});
      return apply(bytes, part);
    default:
      if (bytes.size() < change.size) bytes.resize(change.size);
  }
}

RecordedDisk::Bytes RecordedDisk::bytes_after(const File& file, Damage kind, std::mt19937_64& random) const {
  Bytes bytes = file.durable;
  for (std::size_t i = 0; i < file.pending.size(); ++i) {
    const Change& change = file.pending[i];
    Damage one = kind;
    if (kind == Damage::random) {
      constexpr std::array kAny{Damage::all_lost, Damage::all_kept, Damage::all_kept, Damage::sectors,
                                Damage::bytes,    Damage::zeroed,   Damage::grown};
      one = kAny[random() % kAny.size()];
    }
    if (kind == Damage::last_kept) one = i + 1 == file.pending.size() ? Damage::all_kept : Damage::all_lost;
    if (kind == Damage::first_lost) one = i == 0 ? Damage::all_lost : Damage::all_kept;
    switch (one) {
      case Damage::all_lost:
      case Damage::names_kept:
        break;
      case Damage::all_kept:
      case Damage::bytes_kept:
        apply(bytes, change);
        break;
      default:
        damage(bytes, change, one, random);
    }
  }
  return bytes;
}

std::map<std::string, std::size_t> RecordedDisk::names_after(Damage kind, std::mt19937_64& random) const {
  auto names = durable_names_;
  for (const NameChange& change : name_changes_) {
    const bool kept = kind == Damage::all_kept || kind == Damage::names_kept ||
                      (kind != Damage::all_lost && kind != Damage::bytes_kept && random() % 2 == 0);
    if (!kept) continue;
    const auto there = names.find(change.name);
    if (there != names.end() && there->second == change.file) names.erase(there);
    if (change.what != What::removed) names[change.what == What::made ? change.name : change.to] = change.file;
  }
  return names;
}

void RecordedDisk::crash(const std::string& at, Damage damage_kind, std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  std::mt19937_64 random(seed);
  std::filesystem::create_directory(at);
  for (const auto& [name, file] : names_after(damage_kind, random)) {
    const Bytes bytes = bytes_after(files_[file], damage_kind, random);
    const std::string path = at + "/" + name;
    write_host_file(path, std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), files_[file].written)));
    std::filesystem::resize_file(path, bytes.size());
  }
}

}  // namespace packfs::testing
