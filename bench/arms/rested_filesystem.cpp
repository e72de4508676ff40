#include "arms/rested_filesystem.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <vector>

#include "arms/program.h"
#include "check.h"

namespace packfs::bench {

namespace {

void write_zeros(int fd, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const std::vector<std::byte> zeros(kPiece);
  for (std::uint64_t at = 0; at < bytes; at += kPiece) {
    must_hold(pwrite(fd, zeros.data(), kPiece, static_cast<off_t>(at)) == static_cast<ssize_t>(kPiece), "short write");
  }
  must_call(fsync(fd), "sync image");
}

}  // namespace

RestedFilesystem::RestedFilesystem(const std::string& work_directory, const std::string& name, std::uint64_t files,
                                   std::uint64_t bytes, Image image)
    : path_(work_directory + "/" + name), image_(path_ + ".ext4") {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
  mounted_ = mount(files, bytes, image);
  description_ =
      mounted_ ? "a new ext4 on a loop device" : "a directory of the work directory's filesystem, not rested";
}

bool RestedFilesystem::mount(std::uint64_t files, std::uint64_t bytes, Image image) {
  if (geteuid() != 0 || access("/dev/loop-control", R_OK | W_OK) != 0) return false;
  const int fd = must_call(open(image_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), image_);
  must_call(ftruncate(fd, static_cast<off_t>(bytes)), image_);
  if (image == Image::written) write_zeros(fd, bytes);
  close(fd);
  // Everything is written by mkfs: a lazily made inode table would be filled in while something is timed.
  run_program({"mkfs.ext4", "-q", "-F", "-N", std::to_string(files), "-E",
               image == Image::written ? "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
                                       : "lazy_itable_init=0,lazy_journal_init=0",
               image_});
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
