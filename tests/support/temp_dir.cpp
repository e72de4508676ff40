#include "support/temp_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace packfs::testing {

namespace {

std::string temporary_root() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

int open_directory(int parent, const char* name) {
  int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) {
    // Not a symlink: that would have failed otherwise above.
    ::fchmodat(parent, name, 0700, 0);
    fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  if (fd >= 0) ::fchmod(fd, 0700);
  return fd;
}

// Removes all that is in `fd` but for directories that are not empty, and returns the names of these.
std::vector<std::string> sweep(int fd) {
  std::vector<std::string> left;
  DIR* directory = ::fdopendir(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory == nullptr) return left;
  while (const dirent* entry = ::readdir(directory)) {
    if (is_dots(entry->d_name) || ::unlinkat(fd, entry->d_name, 0) == 0) continue;
    if (::unlinkat(fd, entry->d_name, AT_REMOVEDIR) != 0) left.emplace_back(entry->d_name);
  }
  ::closedir(directory);
  return left;
}

// Removes all that is in `fd`, which it closes. Holds one descriptor whatever the depth: the way back is "..".
void clear(int fd) {
  std::vector<std::vector<std::string>> left_above;
  std::vector<std::string> left = sweep(fd);
  while (true) {
    if (!left.empty()) {
      if (const int child = open_directory(fd, left.back().c_str()); child >= 0) {
        ::close(std::exchange(fd, child));
        left_above.push_back(std::exchange(left, sweep(fd)));
      } else {
        left.pop_back();
      }
    } else if (!left_above.empty()) {
      ::close(std::exchange(fd, ::openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
      left = std::move(left_above.back());
      left_above.pop_back();
      ::unlinkat(fd, left.back().c_str(), AT_REMOVEDIR);
      left.pop_back();
    } else {
      break;
    }
  }
  ::close(fd);
}

}  // namespace

bool remove_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  const int top = open_directory(AT_FDCWD, path.c_str());
  if (top < 0) return false;
  clear(top);
  return ::rmdir(path.c_str()) == 0;
}

TempDir::TempDir() : TempDir(temporary_root()) {}

TempDir::TempDir(const std::string& parent) : path_(parent + "/packfs-test-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_ + ": " + std::strerror(errno));
}

TempDir::~TempDir() { remove_tree(path_); }

}  // namespace packfs::testing
