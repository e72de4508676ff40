#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arms/raw_tree.h"
#include "check.h"

namespace packfs::bench {

/// Host files that are written and read, each call as few system calls as it can be. Paths end with a NUL. Durable as
/// little as the page cache is.
class HostStore {
 public:
  /// `directory` is made, and removed with all that is in it in the end.
  explicit HostStore(const std::string& directory);
  ~HostStore();
  HostStore(const HostStore&) = delete;
  HostStore& operator=(const HostStore&) = delete;

  // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage): paths end with a NUL
  void make_directory(std::string_view path) { must_call(mkdirat(root_, path.data(), 0755), path); }
  /// open, write, close.
  void put(std::string_view path, std::span<const std::byte> content) {
    const int fd = must_call(openat(root_, path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), path);
    must_hold(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "short write");
    close(fd);
  }
  void remove(std::string_view path) { must_call(unlinkat(root_, path.data(), 0), path); }
  // NOLINTEND(bugprone-suspicious-stringview-data-usage)
  void begin() {}
  void commit() {}
  std::size_t read(std::string_view path, std::span<std::byte> buffer) const { return tree_->read(path, buffer); }
  bool size(std::string_view path, std::uint64_t& bytes) const {
    Status status;
    if (!tree_->status(path, status)) return false;
    bytes = status.size;
    return true;
  }
  [[nodiscard]] int root() const noexcept { return root_; }

  static constexpr std::size_t kMissing = SIZE_MAX;

 private:
  std::string directory_;
  int root_ = -1;
  std::unique_ptr<RawTree> tree_;
};

}  // namespace packfs::bench
