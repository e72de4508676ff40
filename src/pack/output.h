#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/alloc.h"
#include "base/io.h"
#include "packfs/error.h"

namespace packfs::pack {

/// Writes a descriptor front to back, never seeking, so that it may be a pipe. Collects small writes in a buffer of
/// 1 MiB; large ones go out as they are, without a copy. Borrows the descriptor and `io`. One thread at a time.
///
/// Errors of all calls: an errno of the write. The first one stays: every later call returns it and writes nothing, so
/// what was written is always a prefix of what was asked for.
class Output {
 public:
  /// The descriptor's current position counts as offset 0.
  Output(base::Io& io, int fd);

  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> write_zeros(std::uint64_t count);
  /// Hands all that was written to the kernel.
  [[nodiscard]] Result<void> flush();

  /// Bytes written so far, those in the buffer counted.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// The error that stays.
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  static constexpr std::size_t kDirectFrom = std::size_t{128} << 10;  ///< writes this long pass by the buffer

 private:
  Result<void> send(std::span<const std::byte> bytes);

  base::Io& io_;
  int fd_;
  base::Buffer buffer_;
  std::size_t filled_ = 0;
  std::uint64_t offset_ = 0;
  std::optional<Error> error_;
};

}  // namespace packfs::pack
