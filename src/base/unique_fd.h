#pragma once

#include <utility>

#include "base/io.h"

namespace packfs::base {

/// Owns one descriptor, closed through the Io it came from; -1 when empty. Closing never fails visibly: what must not
/// be lost was synced before.
class unique_fd {
 public:
  unique_fd() noexcept = default;
  unique_fd(Io& io, int fd) noexcept : io_(&io), fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : io_(other.io_), fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    if (this != &other) {
      reset();
      io_ = other.io_;
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  unique_fd(const unique_fd&) = delete;
  unique_fd& operator=(const unique_fd&) = delete;
  ~unique_fd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept {
    if (fd_ >= 0) io_->close(std::exchange(fd_, -1));
  }

 private:
  Io* io_ = nullptr;
  int fd_ = -1;
};

}  // namespace packfs::base
