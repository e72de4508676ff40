#include "arms/rested_filesystem.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "arms/program.h"
#include "check.h"

namespace packfs::bench {

RestedFilesystem::RestedFilesystem(const std::string& work_directory, const std::string& name, std::uint64_t files,
                                   std::uint64_t bytes)
    : path_(work_directory + "/" + name), image_(path_ + ".ext4") {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
  mounted_ = mount(files, bytes);
  description_ =
      mounted_ ? "a new ext4 on a loop device" : "a directory of the work directory's filesystem, not rested";
}

bool RestedFilesystem::mount(std::uint64_t files, std::uint64_t bytes) {
  if (geteuid() != 0 || access("/dev/loop-control", R_OK | W_OK) != 0) return false;
  const int fd = must_call(open(image_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), image_);
  must_call(ftruncate(fd, static_cast<off_t>(bytes)), image_);
  close(fd);
  // Everything is written by mkfs: a lazily made inode table would be filled in while something is timed.
  run_program(
      {"mkfs.ext4", "-q", "-F", "-N", std::to_string(files), "-E", "lazy_itable_init=0,lazy_journal_init=0", image_});
  run_program({"mount", "-o", "loop", image_, path_});
  return true;
}

RestedFilesystem::~RestedFilesystem() {
  if (mounted_) run_program({"umount", path_});
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  std::filesystem::remove(image_, ignored);
}

}  // namespace packfs::bench
