#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "corpus/corpus.h"

namespace packfs::bench {

/// All of a corpus as host files below `directory`, which is made.
void write_tree(const Corpus& corpus, const std::string& directory);

/// Files of the host filesystem, reached by path from a directory handle. Paths end with a NUL.
class RawTree {
 public:
  explicit RawTree(const std::string& directory);
  ~RawTree();
  RawTree(const RawTree&) = delete;
  RawTree& operator=(const RawTree&) = delete;

  /// open, read, close; returns the length.
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const {
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): paths end with a NUL
    const int fd = openat(root_, path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kMissing;
    const ssize_t length = ::read(fd, buffer.data(), buffer.size());
    close(fd);
    return length < 0 ? kMissing : static_cast<std::size_t>(length);
  }

  /// False when it is not there.
  bool status(std::string_view path, Status& status) const {
    struct stat found;
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): paths end with a NUL
    if (fstatat(root_, path.data(), &found, 0) != 0) return false;
    status = {.type = S_ISDIR(found.st_mode) ? FileType::directory : FileType::regular,
              .mode = found.st_mode & 07777,
              .uid = found.st_uid,
              .gid = found.st_gid,
              .size = static_cast<std::uint64_t>(found.st_size),
              .mtime = {found.st_mtim.tv_sec, static_cast<std::uint32_t>(found.st_mtim.tv_nsec)}};
    return true;
  }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  int root_;
};

}  // namespace packfs::bench
