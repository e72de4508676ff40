#include "support/tree_compare.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

namespace packfs::testing {

namespace {

constexpr std::int64_t kBlock = 4096;
constexpr std::size_t kShownBytes = 500;  // of a path

[[noreturn]] void give_up(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

std::string shown(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      text += c;
    } else {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += escaped.data();
    }
  }
  return text;
}

std::vector<std::string> names_in(int fd) {
  DIR* directory = ::fdopendir(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory == nullptr) give_up("opendir");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(directory);
  std::ranges::sort(names);
  return names;
}

struct stat stat_of(int fd, const std::string& name) {
  struct stat status{};
  if (::fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0) give_up("stat " + shown(name));
  return status;
}

using Xattrs = std::map<std::string, std::string>;

Xattrs xattrs_of(int fd, const std::string& name) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd) + "/" + (name.empty() ? "." : name);
  std::string list(65536, '\0');
  const ssize_t length = ::llistxattr(path.c_str(), list.data(), list.size());
  if (length < 0 && errno == EOPNOTSUPP) return {};
  if (length < 0) give_up("listxattr " + shown(name));
  list.resize(static_cast<std::size_t>(length));
  Xattrs xattrs;
  for (std::size_t at = 0; at < list.size(); at += std::strlen(list.c_str() + at) + 1) {
    const char* attribute = list.c_str() + at;
    std::string value(65536, '\0');
    const ssize_t got = ::lgetxattr(path.c_str(), attribute, value.data(), value.size());
    if (got < 0) give_up(std::string("getxattr ") + attribute);
    value.resize(static_cast<std::size_t>(got));
    xattrs[attribute] = value;
  }
  return xattrs;
}

std::string target_of(int fd, const std::string& name) {
  std::string target(65536, '\0');
  const ssize_t got = ::readlinkat(fd, name.c_str(), target.data(), target.size());
  if (got < 0) give_up("readlink " + shown(name));
  target.resize(static_cast<std::size_t>(got));
  return target;
}

/// An open regular file.
class Content {
 public:
  Content(int directory, const std::string& name) {
    fd_ = ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd_ < 0) give_up("open " + shown(name));
  }
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  ~Content() { ::close(fd_); }

  /// Where data begins, from `offset` on; `size` when there is none.
  [[nodiscard]] std::int64_t data_from(std::int64_t offset, std::int64_t size) const {
    const off_t at = ::lseek(fd_, offset, SEEK_DATA);
    if (at < 0 && errno != ENXIO) give_up("SEEK_DATA");
    return at < 0 ? size : std::min<std::int64_t>(at, size);
  }
  [[nodiscard]] std::string read(std::int64_t offset, std::size_t length) const {
    std::string bytes(length, '\0');
    std::size_t done = 0;
    while (done < length) {
      const ssize_t got = ::pread(fd_, bytes.data() + done, length - done, offset + static_cast<off_t>(done));
      if (got < 0) give_up("pread");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  int fd_;
};

bool is_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

class Comparison {
 public:
  Comparison(const std::string& first, const std::string& second, const CompareOptions& options) : options_(options) {
    a_ = ::open(first.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (a_ < 0) give_up(first);
    b_ = ::open(second.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (b_ < 0) give_up(second);
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    ::close(a_);
    ::close(b_);
  }

  std::vector<std::string> run() {
    if (options_.root_attributes) compare_attributes("", stat_of(a_, ""), stat_of(b_, ""));
    compare_current();
    while (!pending_.empty() && !is_full()) {
      if (pending_.back().empty()) {
        pending_.pop_back();
        if (!pending_.empty()) leave();
      } else {
        const std::string name = pending_.back().back();
        pending_.back().pop_back();
        enter(name);
        compare_current();
      }
    }
    return std::move(differences_);
  }

 private:
  void differ(const std::string& name, const std::string& how) {
    if (is_full()) return;
    std::string path = shown(path_ + "/" + name);
    if (path.size() > kShownBytes) path = path.substr(0, 100) + "[...]" + path.substr(path.size() - 300);
    differences_.push_back(path + ": " + how);
  }
  template <class T>
  void expect(const std::string& name, const char* what, const T& a, const T& b) {
    if (a != b) differ(name, std::string(what) + " " + std::to_string(a) + " against " + std::to_string(b));
  }
  [[nodiscard]] bool is_full() const { return differences_.size() >= options_.max_differences; }

  void go(int& fd, const char* name) const {
    const int next = ::openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (next < 0) give_up(std::string("open ") + name);
    ::close(fd);
    fd = next;
  }
  void enter(const std::string& name) {
    go(a_, name.c_str());
    go(b_, name.c_str());
    path_ += "/" + name;
  }
  void leave() {
    go(a_, "..");
    go(b_, "..");
    path_.resize(path_.rfind('/'));
  }

  void compare_current() {
    const std::vector<std::string> a = names_in(a_);
    const std::vector<std::string> b = names_in(b_);
    std::vector<std::string> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    std::vector<std::string> one;
    std::ranges::set_difference(a, both, std::back_inserter(one));
    for (const std::string& name : one) differ(name, "only in the first tree");
    one.clear();
    std::ranges::set_difference(b, both, std::back_inserter(one));
    for (const std::string& name : one) differ(name, "only in the second tree");
    std::vector<std::string> directories;
    for (const std::string& name : both) {
      if (compare_entry(name)) directories.push_back(name);
    }
    std::ranges::reverse(directories);
    pending_.push_back(std::move(directories));
  }

  /// True when both are directories.
  bool compare_entry(const std::string& name) {
    const struct stat a = stat_of(a_, name);
    const struct stat b = stat_of(b_, name);
    if ((a.st_mode & S_IFMT) != (b.st_mode & S_IFMT)) {
      differ(name, "of another type");
      return false;
    }
    compare_attributes(name, a, b);
    if (S_ISDIR(a.st_mode)) return true;
    compare_links(name, a, b);
    if (S_ISREG(a.st_mode)) compare_contents(name, a, b);
    if (S_ISLNK(a.st_mode) && target_of(a_, name) != target_of(b_, name)) differ(name, "another target");
    if (S_ISCHR(a.st_mode) || S_ISBLK(a.st_mode)) expect(name, "device", a.st_rdev, b.st_rdev);
    return false;
  }

  void compare_attributes(const std::string& name, const struct stat& a, const struct stat& b) {
    expect(name, "mode", a.st_mode & 07777U, b.st_mode & 07777U);
    if (options_.owners) {
      expect(name, "uid", a.st_uid, b.st_uid);
      expect(name, "gid", a.st_gid, b.st_gid);
    }
    expect(name, "mtime", a.st_mtim.tv_sec, b.st_mtim.tv_sec);
    expect(name, "mtime's nanoseconds", a.st_mtim.tv_nsec, b.st_mtim.tv_nsec);
    const Xattrs in_a = xattrs_of(a_, name);
    const Xattrs in_b = xattrs_of(b_, name);
    if (in_a == in_b) return;
    for (const auto& [attribute, value] : in_a) {
      const auto other = in_b.find(attribute);
      if (other == in_b.end()) differ(name, "lacks " + shown(attribute));
      if (other != in_b.end() && other->second != value) differ(name, "another value of " + shown(attribute));
    }
    for (const auto& [attribute, value] : in_b) {
      if (!in_a.contains(attribute)) differ(name, "has " + shown(attribute) + " in addition");
    }
  }

  using Links = std::map<std::pair<dev_t, ino_t>, std::string>;

  // The first name under which a file was met, this one included.
  std::string first_name(Links& links, const std::string& name, const struct stat& status) const {
    if (status.st_nlink < 2) return path_ + "/" + name;
    return links.try_emplace({status.st_dev, status.st_ino}, path_ + "/" + name).first->second;
  }
  void compare_links(const std::string& name, const struct stat& a, const struct stat& b) {
    const std::string in_a = first_name(links_a_, name, a);
    const std::string in_b = first_name(links_b_, name, b);
    if (in_a != in_b) differ(name, "a link to " + shown(in_a) + " against " + shown(in_b));
  }

  void compare_contents(const std::string& name, const struct stat& a, const struct stat& b) {
    expect(name, "size", a.st_size, b.st_size);
    if (a.st_size != b.st_size) return;
    const Content in_a(a_, name);
    const Content in_b(b_, name);
    const std::int64_t size = a.st_size;
    std::int64_t at = 0;
    while (at < size) {
      // What is a hole in both is zero in both, and need not be read: a hole may be a terabyte long.
      at = std::min(in_a.data_from(at, size), in_b.data_from(at, size)) / kBlock * kBlock;
      if (at >= size) break;
      const auto length = static_cast<std::size_t>(std::min<std::int64_t>(size - at, 1 << 20));
      const std::string bytes = in_b.read(at, length);
      if (in_a.read(at, length) != bytes) {
        differ(name, "other bytes in the MiB at " + std::to_string(at));
        return;
      }
      if (options_.holes && !has_its_holes(name, in_b, at, bytes)) return;
      at += static_cast<std::int64_t>(length);
    }
  }

  bool has_its_holes(const std::string& name, const Content& content, std::int64_t at, std::string_view bytes) {
    for (std::size_t i = 0; i + kBlock <= bytes.size(); i += kBlock) {
      const std::int64_t offset = at + static_cast<std::int64_t>(i);
      if (!is_zero(bytes.substr(i, kBlock)) || content.data_from(offset, offset + kBlock) != offset) continue;
      differ(name, "no hole at " + std::to_string(offset));
      return false;
    }
    return true;
  }

  const CompareOptions& options_;
  int a_ = -1;
  int b_ = -1;
  std::string path_;
  std::vector<std::vector<std::string>> pending_;  // subdirectories still to be entered, the last first
  Links links_a_;
  Links links_b_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> compare_trees(const std::string& first, const std::string& second,
                                       const CompareOptions& options) {
  return Comparison(first, second, options).run();
}

}  // namespace packfs::testing
