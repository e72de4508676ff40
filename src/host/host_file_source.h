#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/io.h"
#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::host {

/// An open regular file, read where it is. Never gives bytes beyond the size it had when it was opened, so that a file
/// which grows while it is read ends. Borrows the descriptor, whose file offset it moves.
class HostFileSource final : public tree::ContentSource {
 public:
  /// `on_read` (may be empty) is told how many bytes each read gave; false makes the read fail with ECANCELED.
  HostFileSource(base::Io& io, int fd, std::uint64_t size, std::function<bool(std::uint64_t)> on_read);

  [[nodiscard]] bool in_memory() const override { return false; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return {}; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override;
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override;

  /// The first error that a call gave: tells a failed source from a failed sink.
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

 private:
  std::unexpected<Error> fail(Error error);

  base::Io& io_;
  int fd_;
  std::uint64_t size_;
  std::function<bool(std::uint64_t)> on_read_;
  std::optional<Error> error_;
};

}  // namespace packfs::host
