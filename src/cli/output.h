#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/io.h"
#include "packfs/error.h"

namespace packfs::cli {

/// The one way to standard output: buffers, and remembers the first write that failed (a full disk, a closed pipe);
/// what comes after it is dropped. Borrows `io` and the descriptor. One thread at a time.
class Output {
 public:
  Output(base::Io& io, int descriptor) noexcept : io_(io), descriptor_(descriptor) {}

  void write(std::string_view bytes);
  void flush();

  /// The first failure so far, with "standard output" as its path; long commands stop when there is one.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  void send(std::string_view bytes);

  base::Io& io_;
  int descriptor_;
  std::string buffer_;
  std::optional<Error> failure_;
};

}  // namespace packfs::cli
