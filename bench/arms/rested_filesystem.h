#pragma once

#include <cstdint>
#include <string>

namespace packfs::bench {

/// A place for host files that no earlier work has left slow: ext4 creates files many times slower for a minute after
/// mass unlinks. As root a new ext4 on a loop device, of its own image file in the work directory; otherwise a plain
/// directory there, and description() says so. Removed in the end.
class RestedFilesystem {
 public:
  /// What the image's blocks are before the filesystem uses them: those of a sparse one are taken when they are first
  /// written, which the syncs that are timed would pay.
  enum class Image : bool { sparse, written };

  /// `name` is unlike those of others alive. Room for `files` inodes and `bytes` of data.
  RestedFilesystem(const std::string& work_directory, const std::string& name, std::uint64_t files, std::uint64_t bytes,
                   Image image = Image::sparse);
  ~RestedFilesystem();
  RestedFilesystem(const RestedFilesystem&) = delete;
  RestedFilesystem& operator=(const RestedFilesystem&) = delete;

  /// Where to put files.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// For the record: what it is.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }

 private:
  bool mount(std::uint64_t files, std::uint64_t bytes, Image image);

  std::string path_;
  std::string image_;
  std::string description_;
  bool mounted_ = false;
};

}  // namespace packfs::bench
