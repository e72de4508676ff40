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
    // Without O_PATH and fchmodat2 a mode can only be changed by name, but a symlink was not opened above.
    ::fchmodat(parent, name, 0700, 0);
    fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  if (fd >= 0) ::fchmod(fd, 0700);
  return fd;
}

// Unlinks what is not a directory, and moves each subdirectory's contents up into `fd` under fresh names: so depth
// costs neither stack nor descriptors. Returns false when something resists.
class Flattener {
 public:
  explicit Flattener(int top) : top_(top) {}

  bool clear() {
    while (true) {
      const Sweep sweep = sweep_directory(top_);
      if (!sweep.ok) return false;
      if (!sweep.saw_directory) return true;
    }
  }

 private:
  struct Sweep {
    bool ok = true;
    bool saw_directory = false;
  };

  Sweep sweep_directory(int fd) {
    Sweep sweep;
    DIR* directory = ::fdopendir(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory == nullptr) return {.ok = false, .saw_directory = false};
    while (const dirent* entry = ::readdir(directory)) {
      if (is_dots(entry->d_name) || ::unlinkat(fd, entry->d_name, 0) == 0) continue;
      if (errno != EISDIR && errno != EPERM) {
        sweep.ok = errno == ENOENT;
        if (!sweep.ok) break;
        continue;
      }
      sweep.saw_directory = true;
      if (!dissolve(fd, entry->d_name)) {
        sweep.ok = false;
        break;
      }
    }
    ::closedir(directory);
    return sweep;
  }

  // Empties one subdirectory of the top and removes it.
  bool dissolve(int fd, const char* name) {
    const int child = open_directory(fd, name);
    if (child < 0) return false;
    DIR* directory = ::fdopendir(child);
    if (directory == nullptr) {
      ::close(child);
      return false;
    }
    bool ok = true;
    while (const dirent* entry = ::readdir(directory)) {
      if (is_dots(entry->d_name) || ::unlinkat(child, entry->d_name, 0) == 0) continue;
      // To rename a directory needs write access to it as well: its ".." changes.
      const int grandchild = open_directory(child, entry->d_name);
      if (grandchild >= 0) ::close(grandchild);
      const std::string fresh = ".moved-" + std::to_string(next_++);
      if (::renameat(child, entry->d_name, top_, fresh.c_str()) != 0) ok = false;
    }
    ::closedir(directory);
    // What readdir() passed over while names went away is met in the next sweep.
    return ok && (::unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOTEMPTY);
  }

  int top_;
  unsigned long next_ = 0;
};

}  // namespace

bool remove_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  const int top = open_directory(AT_FDCWD, path.c_str());
  if (top < 0) return false;
  const bool cleared = Flattener(top).clear();
  ::close(top);
  return ::rmdir(path.c_str()) == 0 && cleared;
}

TempDir::TempDir() : TempDir(temporary_root()) {}

TempDir::TempDir(const std::string& parent) : path_(parent + "/packfs-test-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_ + ": " + std::strerror(errno));
}

TempDir::~TempDir() { remove_tree(path_); }

}  // namespace packfs::testing
