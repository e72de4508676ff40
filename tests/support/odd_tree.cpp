#include "support/odd_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace packfs::testing {

namespace {

using namespace std::string_literals;

void must(long returned, const std::string& what) {
  if (returned < 0) throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// One directory that things are made in.
class Maker {
 public:
  explicit Maker(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    must(fd_, path);
  }
  Maker(const Maker& parent, const std::string& name) {
    must(::mkdirat(parent.fd_, name.c_str(), 0755), "mkdir " + name);
    fd_ = ::openat(parent.fd_, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(fd_, name);
  }
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  ~Maker() { ::close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }

  void file(const std::string& name, std::string_view content = {}, mode_t mode = 0644) const {
    const int fd = ::openat(fd_, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    must(fd, "create " + name);
    must(::write(fd, content.data(), content.size()), "write " + name);
    must(::fchmod(fd, mode), "chmod " + name);
    ::close(fd);
  }
  void symlink(const std::string& name, const std::string& target) const {
    must(::symlinkat(target.c_str(), fd_, name.c_str()), "symlink " + name);
  }
  void node(const std::string& name, mode_t mode, dev_t device = 0) const {
    must(::mknodat(fd_, name.c_str(), mode, device), "mknod " + name);
  }
  void link(const std::string& from, const Maker& to, const std::string& name) const {
    must(::linkat(fd_, from.c_str(), to.fd_, name.c_str(), 0), "link " + name);
  }
  void mode(const std::string& name, mode_t mode) const {
    must(::fchmodat(fd_, name.c_str(), mode, 0), "chmod " + name);
  }
  void owner(const std::string& name, uid_t uid, gid_t gid) const {
    must(::fchownat(fd_, name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW), "chown " + name);
  }
  void mtime(const std::string& name, std::int64_t seconds, long nanoseconds) const {
    const std::array<timespec, 2> times{timespec{.tv_sec = 1, .tv_nsec = 1},
                                        timespec{.tv_sec = seconds, .tv_nsec = nanoseconds}};
    must(::utimensat(fd_, name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), "utimens " + name);
  }
  void xattr(const std::string& name, const std::string& attribute, std::string_view value) const {
    const std::string path = "/proc/self/fd/" + std::to_string(fd_) + "/" + name;
    must(::lsetxattr(path.c_str(), attribute.c_str(), value.data(), value.size(), 0), attribute + " of " + name);
  }

 private:
  int fd_ = -1;
};

bool is_root() { return ::geteuid() == 0; }

void make_names(const Maker& root) {
  const Maker names(root, "names");
  std::string all;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte == '/') continue;
    const std::string name(1, static_cast<char>(byte));
    if (name != ".") names.file(name, name);
    all += static_cast<char>(byte);
  }
  names.file(all.substr(0, 127));
  names.file(all.substr(127));
  names.file(std::string(255, 'n'), "255 bytes");
  names.file(std::string(255, '\xff'));
  names.file("...", "three dots");
  names.file("..a");
  names.file(" leading and trailing ");
  names.file("new\nline");
  const Maker long_directory(names, std::string(255, 'd'));
  long_directory.symlink(std::string(255, 's'), "a");
}

void write_at(int fd, std::int64_t offset, std::size_t bytes, char fill) {
  const std::string data(bytes, fill);
  must(::pwrite(fd, data.data(), data.size(), offset), "pwrite");
}

void make_sparse(const Maker& in, const std::string& name, std::int64_t size,
                 const std::vector<std::pair<std::int64_t, std::size_t>>& pieces) {
  const int fd = ::openat(in.fd(), name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  must(fd, "create " + name);
  must(::ftruncate(fd, size), "truncate " + name);
  char fill = 'a';
  for (const auto& [offset, bytes] : pieces) write_at(fd, offset, bytes, fill++);
  ::close(fd);
}

void make_contents(const Maker& root) {
  const Maker contents(root, "contents");
  contents.file("empty");
  contents.file("one byte", "x");
  contents.file("a block", std::string(4096, 'b'));
  contents.file("a zero byte", "\0"s);
  contents.file("allocated zeros", std::string(20000, '\0'));
  contents.file("1 MiB", std::string(1 << 20, 'm'));
  contents.file("1 MiB and one", std::string((1 << 20) + 1, 'n'));
  std::string large;
  std::uint32_t state = 12345;
  while (large.size() < 3'500'000) large += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  contents.file("large", large);
  constexpr std::int64_t kMiB = 1 << 20;
  make_sparse(contents, "hole at start", 3 * kMiB, {{2 * kMiB, kMiB}});
  make_sparse(contents, "hole in the middle", 3 * kMiB, {{0, 5000}, {2 * kMiB + 77, 9000}});
  make_sparse(contents, "hole at end", 3 * kMiB + 5, {{0, kMiB}});
  make_sparse(contents, "hole only", 5 * kMiB + 1, {});
  make_sparse(contents, "small hole only", 8192, {});
  make_sparse(contents, "small with hole", 16384, {{4096, 4096}, {16383, 1}});
  make_sparse(contents, "1 TiB", std::int64_t{1} << 40,
              {{0, 1}, {std::int64_t{1} << 39, 100}, {(std::int64_t{1} << 40) - 1, 1}});
}

void make_kinds(const Maker& root) {
  const Maker kinds(root, "kinds");
  kinds.symlink("dangling", "nowhere/at all");
  kinds.symlink("absolute", "/etc/passwd");
  kinds.symlink("dotdot", "../../..");
  kinds.symlink("to itself", "to itself");
  kinds.symlink("to a directory", "../names");
  kinds.symlink("odd bytes", "\xff\n\x01//.");
  kinds.symlink("long", std::string(4095, 'l'));
  kinds.node("fifo", S_IFIFO | 0640);
  kinds.node("socket", S_IFSOCK | 0666);
  if (!is_root()) return;
  kinds.node("null", S_IFCHR | 0666, ::makedev(1, 3));
  kinds.node("large minor", S_IFCHR | 0600, ::makedev(4095, 1048575));
  kinds.node("block", S_IFBLK | 0660, ::makedev(7, 200));
}

void make_links(const Maker& root) {
  const Maker one(root, "links");
  const Maker two(root, "links elsewhere");
  one.file("file", "linked");
  one.link("file", one, "file again");
  one.link("file", two, "file");
  const Maker below(one, "below");
  one.link("file", below, "file");
  one.file("big", std::string(2 << 20, 'B'));
  one.link("big", two, "big");
  one.symlink("symlink", "file");
  one.link("symlink", two, "symlink");
  one.node("fifo", S_IFIFO | 0600);
  one.link("fifo", two, "fifo");
  one.node("socket", S_IFSOCK | 0600);
  one.link("socket", one, "a socket again");
  if (!is_root()) return;
  one.node("device", S_IFCHR | 0600, ::makedev(1, 5));
  one.link("device", two, "device");
}

void make_modes(const Maker& root) {
  const Maker modes(root, "modes");
  for (const mode_t mode : std::vector<mode_t>{0000, 0001, 0200, 0400, 0777, 01644}) {
    modes.file("file " + std::to_string(mode), "m", mode);
  }
  for (const mode_t mode : std::vector<mode_t>{0700, 0500, 01777}) {
    const Maker directory(modes, "directory " + std::to_string(mode));
    directory.file("inside");
    modes.mode("directory " + std::to_string(mode), mode);
  }
  if (!is_root()) return;
  modes.file("setuid", "u", 04755);
  modes.file("setgid", "g", 02755);
  modes.file("all bits", "a", 07777);
  const Maker setgid(modes, "setgid directory");
  modes.mode("setgid directory", 07770);
  {
    const Maker closed(modes, "closed");
    closed.file("inside");
    modes.mode("closed", 0000);
  }
  constexpr uid_t kLast = 0xFFFFFFFE;
  modes.file("owned");
  modes.owner("owned", kLast, kLast);
  modes.file("owned setuid", "s", 0755);
  modes.owner("owned setuid", 65534, 12345);
  modes.mode("owned setuid", 06755);
  modes.symlink("owned symlink", "owned");
  modes.owner("owned symlink", 1000, kLast);
  const Maker owned(modes, "owned directory");
  owned.file("inside");
  modes.owner("owned directory", kLast, 0);
}

void make_times(const Maker& root) {
  const Maker times(root, "times");
  const std::vector<std::pair<std::int64_t, long>> moments{
      {0, 0},           {-1, 999'999'999}, {1, 1},          {INT32_MAX, 5},     {std::int64_t{INT32_MAX} + 1, 6},
      {INT32_MIN, 7},   {-62135596800, 8}, {UINT32_MAX, 9}, {15032385536, 123}, {253402300800, 999'999'999},
      {-9999999999, 1}, {1 << 30, 500}};
  for (const auto& [seconds, nanoseconds] : moments) {
    const std::string name = std::to_string(seconds) + "." + std::to_string(nanoseconds);
    times.file(name);
    times.mtime(name, seconds, nanoseconds);
    times.symlink("link " + name, name);
    times.mtime("link " + name, seconds, nanoseconds);
  }
  times.node("fifo", S_IFIFO | 0600);
  times.mtime("fifo", 42, 43);
  {
    const Maker directory(times, "directory");
  }
  times.mtime("directory", -5, 17);
}

std::string acl(std::uint16_t group, bool named_user) {
  std::string value("\x02\0\0\0", 4);
  const auto entry = [&](std::uint16_t tag, std::uint16_t permissions, std::uint32_t id) {
    for (int i = 0; i < 2; ++i) value += static_cast<char>(tag >> (8 * i));
    for (int i = 0; i < 2; ++i) value += static_cast<char>(permissions >> (8 * i));
    for (int i = 0; i < 4; ++i) value += static_cast<char>(id >> (8 * i));
  };
  entry(0x01, 7, UINT32_MAX);
  if (named_user) entry(0x02, 5, 1234);
  entry(0x04, group, UINT32_MAX);
  if (named_user) entry(0x08, 6, 4321);
  if (named_user) entry(0x10, 7, UINT32_MAX);
  entry(0x20, 4, UINT32_MAX);
  return value;
}

void make_xattrs(const Maker& root) {
  const Maker xattrs(root, "xattrs");
  xattrs.file("file", "with attributes");
  xattrs.xattr("file", "user.one", "1");
  xattrs.xattr("file", "user.empty", "");
  xattrs.xattr("file", "user.bytes", std::string_view("\0\xff\n", 3));
  xattrs.xattr("file", "user.long", std::string(3000, 'v'));
  xattrs.xattr("file", "user." + std::string(250, 'k'), "long name");
  xattrs.file("read only", "r", 0444);
  xattrs.mode("read only", 0644);
  xattrs.xattr("read only", "user.x", "on a read-only file");
  xattrs.mode("read only", 0444);
  xattrs.file("acl");
  xattrs.xattr("acl", "system.posix_acl_access", acl(0, true));
  const Maker directory(xattrs, "directory");
  xattrs.xattr("directory", "user.d", "on a directory");
  xattrs.xattr("directory", "system.posix_acl_access", acl(5, true));
  xattrs.xattr("directory", "system.posix_acl_default", acl(1, true));
  directory.file("inherits");
  const Maker inherits(directory, "inherits too");
  directory.node("fifo inherits", S_IFIFO | 0666);
  // What has no ACL although its directory gives one.
  directory.file("plain");
  ::removexattr(("/proc/self/fd/" + std::to_string(directory.fd()) + "/plain").c_str(), "system.posix_acl_access");
  if (!is_root()) return;
  xattrs.xattr("file", "trusted.t", "t");
  xattrs.file("capable", "c", 0755);
  xattrs.xattr("capable", "security.capability",
               std::string_view("\x01\0\0\x02\x00\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20));
  xattrs.symlink("symlink", "file");
  xattrs.xattr("symlink", "trusted.of.symlink", "s");
  xattrs.node("fifo", S_IFIFO | 0600);
  xattrs.xattr("fifo", "trusted.of.fifo", "f");
  xattrs.node("device", S_IFCHR | 0600, ::makedev(1, 3));
  xattrs.xattr("device", "trusted.of.device", "d");
  xattrs.node("acl fifo", S_IFIFO | 0600);
  xattrs.xattr("acl fifo", "system.posix_acl_access", acl(2, true));
}

}  // namespace

void make_deep_tree(const std::string& directory, unsigned levels, unsigned name_bytes) {
  const std::string name(name_bytes, 'd');
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  must(fd, directory);
  for (unsigned level = 0; level < levels; ++level) {
    must(::mkdirat(fd, name.c_str(), 0755), "mkdir " + name);
    const int below = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(below, name);
    ::close(fd);
    fd = below;
  }
  const int file = ::openat(fd, "bottom", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  must(file, "bottom");
  must(::write(file, "deep", 4), "bottom");
  ::close(file);
  ::close(fd);
}

void make_odd_tree(const std::string& directory) {
  const Maker root(directory);
  make_names(root);
  make_contents(root);
  make_kinds(root);
  make_links(root);
  make_modes(root);
  make_times(root);
  make_xattrs(root);
  {
    const Maker empty(root, "empty directory");
  }
  root.file("a file beside directories", "top");
  {
    const Maker deep(root, "deep");
    const Maker levels(root, "levels");
  }
  make_deep_tree(directory + "/deep", 300, 100);
  make_deep_tree(directory + "/levels", 1200, 1);
  // As the tree was made its times became now; an hour ago tells a kept time from a fresh one.
  root.mtime("names", 1'000'000'000, 1);
}

}  // namespace packfs::testing
