#include "support/disk_inode.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

namespace packfs::testing::disk {

namespace {

[[noreturn]] void give_up_on(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

void SparseBytes::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t within = offset % kPageBytes;
    const std::size_t count = std::min<std::size_t>(bytes.size(), kPageBytes - within);
    std::shared_ptr<const Page>& page = pages_[offset / kPageBytes];
    auto changed = page ? std::make_shared<Page>(*page) : std::make_shared<Page>();
    std::memcpy(changed->data() + within, bytes.data(), count);
    page = std::move(changed);
    offset += count;
    bytes = bytes.subspan(count);
  }
}

void SparseBytes::zero(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t end = offset + std::min(length, std::numeric_limits<std::uint64_t>::max() - offset);
  for (auto at = pages_.lower_bound(offset / kPageBytes); at != pages_.end();) {
    const std::uint64_t begin = at->first * kPageBytes;
    if (begin >= end) break;
    const std::uint64_t from = std::max(offset, begin) - begin;
    const std::uint64_t to = std::min(end - begin, kPageBytes);
    if (to - from == kPageBytes) {
      at = pages_.erase(at);
      continue;
    }
    auto changed = std::make_shared<Page>(*at->second);
    std::memset(changed->data() + from, 0, to - from);
    at->second = std::move(changed);
    ++at;
  }
}

PageCache::PageCache() : fd_(::memfd_create("crash_disk", MFD_CLOEXEC)) {
  if (fd_ < 0) give_up_on("memfd_create");
  if (::ftruncate(fd_, static_cast<off_t>(kMaxBytes)) != 0) {
    const int error = errno;
    ::close(fd_);
    errno = error;
    give_up_on("ftruncate");
  }
}

PageCache::~PageCache() { ::close(fd_); }

void PageCache::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got <= 0) give_up_on("pread");
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void PageCache::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got <= 0) give_up_on("pwrite");
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void PageCache::zero(std::uint64_t offset, std::uint64_t length) {
  if (length == 0) return;
  const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (::fallocate(fd_, mode, static_cast<off_t>(offset), static_cast<off_t>(length)) != 0) give_up_on("fallocate");
}

int PageCache::map(std::size_t length, off_t offset, void** address) const {
  void* mapped = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd_, offset);
  if (mapped == MAP_FAILED) return -errno;
  *address = mapped;
  return 0;
}

std::uint64_t DataChange::size_after(std::uint64_t size) const {
  if (kind == Kind::resize) return length;
  return grows ? std::max(size, end()) : size;
}

void FileContent::grow(std::uint64_t end) { size = std::max(size, end); }

void FileContent::apply(const DataChange& change) {
  switch (change.kind) {
    case DataChange::Kind::write:
      bytes.write(change.offset, change.bytes);
      break;
    case DataChange::Kind::zero:
      bytes.zero(change.offset, change.length);
      break;
    case DataChange::Kind::allocate:
      break;
    case DataChange::Kind::resize:
      bytes.zero(change.length, std::numeric_limits<std::uint64_t>::max());
      break;
  }
  size = change.size_after(size);
}

Inode::Inode(std::uint64_t inode_number, mode_t inode_mode) : number(inode_number), mode(inode_mode) {
  if (!is_directory()) cache = std::make_unique<PageCache>();
}

void Inode::change(DataChange change) {
  switch (change.kind) {
    case DataChange::Kind::write:
      cache->write(change.offset, change.bytes);
      break;
    case DataChange::Kind::zero:
      cache->zero(change.offset, change.length);
      break;
    case DataChange::Kind::allocate:
      break;
    case DataChange::Kind::resize:
      if (change.length < size) cache->zero(change.length, size - change.length);
      break;
  }
  size = change.size_after(size);
  changes.push_back(std::move(change));
}

void Inode::sync() {
  for (const DataChange& change : changes) durable.apply(change);
  changes.clear();
}

void Inode::load(FileContent content) {
  // What lies together goes in by one call: images are made by the thousand.
  std::vector<std::byte> run;
  std::uint64_t end = 0;
  const auto put = [&] {
    cache->write(end - run.size(), run);
    run.clear();
  };
  content.bytes.each([&](std::uint64_t offset, std::span<const std::byte> bytes) {
    if (offset != end) put();
    run.insert(run.end(), bytes.begin(), bytes.end());
    end = offset + bytes.size();
  });
  put();
  size = content.size;
  durable = std::move(content);
}

bool NameChange::needs(const NameChange& earlier) const {
  for (const Slot* mine : {&from, &to}) {
    if (mine->directory && (*mine == earlier.from || *mine == earlier.to)) return true;
  }
  // A directory goes only after what was in it has gone, or files that were moved out of it would go with it.
  if (removed && removed->is_directory() && earlier.touches(*removed)) return true;
  // Directories that move past each other could end up each in the other.
  const auto moves_directory = [](const NameChange& change) {
    return change.from.directory && change.to.directory && change.inode->is_directory();
  };
  return moves_directory(*this) && moves_directory(earlier);
}

void add_needed(const std::vector<NameChange>& changes, std::vector<bool>& chosen) {
  for (std::size_t later = changes.size(); later-- > 0;) {
    if (!chosen[later]) continue;
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!chosen[earlier] && changes[later].needs(changes[earlier])) chosen[earlier] = true;
    }
  }
}

}  // namespace packfs::testing::disk
