#include "arms/synced_host_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "check.h"

namespace packfs::bench {
namespace {

/// The directory, which is made unless it is there.
std::string made(const std::string& directory, Lifetime lifetime) {
  if (lifetime == Lifetime::found) return directory;
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  return directory;
}

}  // namespace

SyncedHostStore::SyncedHostStore(const std::string& directory, Lifetime lifetime)
    : root_(made(directory, lifetime)), lifetime_(lifetime), tree_(directory) {}

SyncedHostStore::~SyncedHostStore() {
  for (const auto& [name, fd] : directories_) close(fd);
  if (lifetime_ != Lifetime::passing) return;
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

void SyncedHostStore::make_directory(std::string_view path) {
  const std::string name(path);
  const std::string full = root_ + "/" + name;
  must_call(mkdir(full.c_str(), 0755), full);
  directories_[name] = must_call(open(full.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), full);
}

void SyncedHostStore::put(std::string_view path, std::span<const std::byte> content) const {
  const std::size_t slash = path.find('/');
  const int directory = directories_.find(path.substr(0, slash))->second;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): paths end with a NUL
  const char* name = path.data() + slash + 1;
  const int fd = must_call(openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), path);
  must_hold(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "short write");
  must_call(fsync(fd), path);
  close(fd);
  must_call(fsync(directory), path);
}

std::uint64_t SyncedHostStore::entries() const {
  const std::filesystem::recursive_directory_iterator all(root_);
  return static_cast<std::uint64_t>(std::distance(all, std::filesystem::recursive_directory_iterator{}));
}

}  // namespace packfs::bench
