#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <utility>

#include "support/crash_disk.h"

namespace packfs::testing {

using disk::DataChange;
using disk::Inode;
using disk::Names;
using disk::Slot;

namespace {

/// The first component of `path`, taken off it with the slashes around it; empty at its end.
std::string_view take_component(std::string_view& path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const std::string_view component = path.substr(0, path.find('/'));
  path.remove_prefix(component.size());
  return component;
}

void fill(const Inode& inode, struct statx& out) {
  out = {};
  out.stx_mask = STATX_BASIC_STATS;
  out.stx_blksize = 4096;
  out.stx_nlink = inode.removed ? 0 : (inode.is_directory() ? 2 : 1);
  out.stx_mode = static_cast<decltype(out.stx_mode)>(inode.mode);
  out.stx_ino = inode.number;
  out.stx_size = inode.size;
  out.stx_blocks = (inode.size + 511) / 512;
}

/// 0 when `from` may take the name of `to`.
int may_replace(const Inode& from, const Inode& to) {
  if (from.is_directory() && !to.is_directory()) return -ENOTDIR;
  if (!from.is_directory() && to.is_directory()) return -EISDIR;
  return to.names.empty() ? 0 : -ENOTEMPTY;
}

bool is_within(std::shared_ptr<Inode> directory, const Inode& above) {
  while (directory && directory.get() != &above) {
    auto parent = directory->parent.lock();
    if (parent == directory) return false;
    directory = std::move(parent);
  }
  return directory != nullptr;
}

constexpr std::size_t kRecordHead = offsetof(dirent64, d_name);

void put_record(const std::string& name, const Inode* inode, std::uint64_t next, std::size_t length, std::byte* at) {
  dirent64 head{};
  head.d_ino = inode != nullptr ? inode->number : 1;
  head.d_off = static_cast<off64_t>(next);
  head.d_reclen = static_cast<unsigned short>(length);
  head.d_type = inode != nullptr && !inode->is_directory() ? DT_REG : DT_DIR;
  std::memcpy(at, &head, kRecordHead);
  std::memset(at + kRecordHead, 0, length - kRecordHead);
  std::memcpy(at + kRecordHead, name.data(), name.size());
}

}  // namespace

int CrashDisk::walk(int dirfd, std::string_view path, bool beneath, Place& place) {
  if (path.empty()) return -ENOENT;
  if (path.size() >= PATH_MAX) return -ENAMETOOLONG;
  place = {.inode = root_, .slot = {}, .must_be_directory = path.ends_with('/')};
  if (path.starts_with('/')) {
    if (beneath) return -EXDEV;
  } else if (dirfd != AT_FDCWD) {
    const OpenFile* start = find(dirfd);
    if (start == nullptr) return -EBADF;
    place.inode = start->inode;
  }
  const std::shared_ptr<Inode> start = place.inode;
  for (auto component = take_component(path); !component.empty(); component = take_component(path)) {
    if (!place.inode) return -ENOENT;
    if (!place.inode->is_directory()) return -ENOTDIR;
    const std::shared_ptr<Inode> directory = place.inode;
    place.slot = {};
    if (component == ".") continue;
    if (component == "..") {
      if (beneath && directory == start) return -EXDEV;
      place.inode = directory->parent.lock();
      continue;
    }
    if (component.size() > NAME_MAX) return -ENAMETOOLONG;
    const auto found = directory->names.find(component);
    place.inode = found == directory->names.end() ? nullptr : found->second;
    place.slot = {.directory = directory, .name = std::string(component)};
  }
  if (!place.inode && !place.slot.directory) return -ENOENT;
  return place.inode && place.must_be_directory && !place.inode->is_directory() ? -ENOTDIR : 0;
}

int CrashDisk::create(const Place& place, mode_t mode, std::shared_ptr<Inode>& made) {
  if (place.inode) return -EEXIST;
  if (place.slot.directory->removed) return -ENOENT;
  made = make_inode(next_number_++, mode);
  if (made->is_directory()) made->parent = place.slot.directory;
  record({.from = {}, .to = place.slot, .inode = made, .removed = nullptr});
  return 0;
}

/// Does it to what programs see, and remembers it as not synced.
void CrashDisk::record(disk::NameChange change) {
  change.apply([](Inode& directory) -> Names& { return directory.names; });
  if (change.removed) {
    change.removed->removed = true;
    change.removed->parent.reset();
  }
  name_changes_.push_back(std::move(change));
}

void CrashDisk::sync_names(const Inode& directory) {
  std::vector<bool> chosen(name_changes_.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = name_changes_[i].touches(directory);
  disk::add_needed(name_changes_, chosen);
  std::vector<disk::NameChange> rest;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) {
      name_changes_[i].apply([](Inode& changed) -> Names& { return changed.durable_names; });
    } else {
      rest.push_back(std::move(name_changes_[i]));
    }
  }
  name_changes_ = std::move(rest);
}

int CrashDisk::open(int dirfd, const char* path, std::uint64_t flags, mode_t mode, bool beneath) {
  if ((flags & O_TMPFILE) == O_TMPFILE) return -EOPNOTSUPP;
  if ((flags & (O_DSYNC | O_DIRECT)) != 0) return -EINVAL;  // O_SYNC has the bit of O_DSYNC
  if ((flags & O_PATH) != 0) flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  if ((flags & O_CREAT) != 0 && (flags & O_DIRECTORY) != 0) return -EINVAL;
  Place place;
  if (const int error = walk(dirfd, path, beneath, place); error != 0) return error;
  if (place.inode && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return -EEXIST;
  if (!place.inode) {
    if ((flags & O_CREAT) == 0) return -ENOENT;
    if (place.must_be_directory) return -EISDIR;
    if (const int error = create(place, S_IFREG | (mode & 07777), place.inode); error != 0) return error;
  }
  auto file = std::make_shared<OpenFile>();
  file->inode = place.inode;
  file->flags = static_cast<int>(flags);
  if (place.inode->is_directory()) {
    if (file->writable() || (flags & O_CREAT) != 0) return -EISDIR;
  } else {
    if ((flags & O_DIRECTORY) != 0) return -ENOTDIR;
    if ((flags & O_TRUNC) != 0 && file->writable() && place.inode->size != 0) {
      place.inode->change({.kind = DataChange::Kind::resize, .grows = true, .offset = 0, .length = 0, .bytes = {}});
    }
  }
  return give(std::move(file));
}

int CrashDisk::openat(int dirfd, const char* path, int flags, mode_t mode) {
  const std::scoped_lock lock(mutex_);
  const bool counted = (flags & (O_CREAT | O_TRUNC)) != 0;
  if (const int error = counted ? admit("openat") : alive(); error != 0) return error;
  return open(dirfd, path, static_cast<std::uint64_t>(flags), mode, false);
}

int CrashDisk::openat2(int dirfd, const char* path, const open_how& how) {
  const std::scoped_lock lock(mutex_);
  const bool counted = (how.flags & (O_CREAT | O_TRUNC)) != 0;
  if (const int error = counted ? admit("openat2") : alive(); error != 0) return error;
  const bool beneath = (how.resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) != 0;
  return open(dirfd, path, how.flags, static_cast<mode_t>(how.mode), beneath);
}

int CrashDisk::mkdirat(int dirfd, const char* path, mode_t mode) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("mkdirat"); error != 0) return error;
  Place place;
  if (const int error = walk(dirfd, path, false, place); error != 0) return error;
  std::shared_ptr<Inode> made;
  return create(place, S_IFDIR | (mode & 07777), made);
}

int CrashDisk::unlinkat(int dirfd, const char* path, int flags) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("unlinkat"); error != 0) return error;
  if ((flags & ~AT_REMOVEDIR) != 0) return -EINVAL;
  Place place;
  if (const int error = walk(dirfd, path, false, place); error != 0) return error;
  if (!place.inode) return -ENOENT;
  if (!place.slot.directory) return flags == AT_REMOVEDIR ? -EBUSY : -EISDIR;
  if (flags == AT_REMOVEDIR) {
    if (!place.inode->is_directory()) return -ENOTDIR;
    if (!place.inode->names.empty()) return -ENOTEMPTY;
  } else if (place.inode->is_directory()) {
    return -EISDIR;
  }
  record({.from = place.slot, .to = {}, .inode = place.inode, .removed = place.inode});
  return 0;
}

int CrashDisk::renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) {
  const std::scoped_lock lock(mutex_);
  if (const int error = admit("renameat2"); error != 0) return error;
  if ((flags & ~static_cast<unsigned>(RENAME_NOREPLACE)) != 0) return -EINVAL;
  Place from;
  Place to;
  if (const int error = walk(old_dirfd, old_path, false, from); error != 0) return error;
  if (const int error = walk(new_dirfd, new_path, false, to); error != 0) return error;
  if (!from.inode) return -ENOENT;
  if (!from.slot.directory || !to.slot.directory) return -EBUSY;
  if (to.inode && flags == RENAME_NOREPLACE) return -EEXIST;
  if (from.inode == to.inode) return 0;
  if (to.slot.directory->removed) return -ENOENT;
  if (to.must_be_directory && !from.inode->is_directory()) return -ENOTDIR;
  if (from.inode->is_directory() && is_within(to.slot.directory, *from.inode)) return -EINVAL;
  if (to.inode) {
    if (const int error = may_replace(*from.inode, *to.inode); error != 0) return error;
  }
  record({.from = from.slot, .to = to.slot, .inode = from.inode, .removed = to.inode});
  if (from.inode->is_directory()) from.inode->parent = to.slot.directory;
  return 0;
}

int CrashDisk::statx(int dirfd, const char* path, int flags, unsigned /*mask*/, struct statx* out) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  Place place;
  if (*path == '\0' && (flags & AT_EMPTY_PATH) != 0) {
    const OpenFile* file = find(dirfd);
    if (file == nullptr && dirfd != AT_FDCWD) return -EBADF;
    place.inode = file != nullptr ? file->inode : root_;
  } else if (const int error = walk(dirfd, path, false, place); error != 0) {
    return error;
  }
  if (!place.inode) return -ENOENT;
  fill(*place.inode, *out);
  return 0;
}

ssize_t CrashDisk::getdents64(int fd, void* buffer, std::size_t length) {
  const std::scoped_lock lock(mutex_);
  if (const int error = alive(); error != 0) return error;
  OpenFile* file = find(fd);
  if (file == nullptr || !file->readable()) return -EBADF;
  const Inode& directory = *file->inode;
  if (!directory.is_directory()) return -ENOTDIR;
  if (directory.removed) return -ENOENT;
  if (file->offset == 0) {
    file->listing = {".", ".."};
    for (const auto& [name, inode] : directory.names) file->listing.push_back(name);
  }
  std::size_t used = 0;
  for (; file->offset < file->listing.size(); ++file->offset) {
    const std::string& name = file->listing[static_cast<std::size_t>(file->offset)];
    const std::size_t record = (kRecordHead + name.size() + 1 + 7) / 8 * 8;
    if (record > length - used) return used > 0 ? static_cast<ssize_t>(used) : -EINVAL;
    const auto found = directory.names.find(name);
    const bool dots = name == "." || name == "..";
    if (!dots && found == directory.names.end()) continue;  // gone since the listing began
    put_record(name, dots ? &directory : found->second.get(), file->offset + 1, record,
               static_cast<std::byte*>(buffer) + used);
    used += record;
  }
  return static_cast<ssize_t>(used);
}

}  // namespace packfs::testing
