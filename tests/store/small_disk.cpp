#include "store/small_disk.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace packfs::testing {
namespace {

bool run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

}  // namespace

std::unique_ptr<SmallDisk> SmallDisk::mount(Type type) {
  std::unique_ptr<SmallDisk> disk(new SmallDisk);
  const std::string at = disk->directory_.path("mounted");
  ::mkdir(at.c_str(), 0700);
  if (type == Type::tmpfs) {
    if (::mount("none", at.c_str(), "tmpfs", 0, "size=1m") != 0) return nullptr;
    return disk;
  }
  const std::string image = disk->directory_.path("image");
  if (!run("truncate -s 8M " + image + " && mkfs.ext4 -q -m 0 -J size=1 " + image)) return nullptr;
  if (!run("mount -o loop " + image + " " + at)) return nullptr;
  return disk;
}

SmallDisk::~SmallDisk() { ::umount2(directory_.path("mounted").c_str(), MNT_DETACH); }

void SmallDisk::make_read_only() const {
  if (::mount("none", directory_.path("mounted").c_str(), "", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    throw std::runtime_error("mount");
  }
}

std::uint64_t SmallDisk::room() const {
  struct statvfs status{};
  if (::statvfs(directory_.path("mounted").c_str(), &status) != 0) throw std::runtime_error("statvfs");
  return status.f_bavail * status.f_frsize;
}

void SmallDisk::take_room(const std::string& name, std::uint64_t all_but) const {
  const int fd = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string zeros(4096, 'b');
  // What has no blocks yet counts as room until it is written out.
  for (bool is_full = false; !is_full;) {
    while (room() > all_but && !is_full) is_full = ::write(fd, zeros.data(), zeros.size()) <= 0;
    ::fsync(fd);
    if (room() <= all_but) is_full = true;
  }
  ::close(fd);
}

}  // namespace packfs::testing
