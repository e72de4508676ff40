#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "packfs/error.h"
#include "packfs/ref.h"

namespace packfs::content {

/// Immutable bytes that lie elsewhere: a file of a pack below a volume. Threads: any.
class Backing : public Counted {
 public:
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Less than asked only at the end.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const = 0;
  /// All of it, valid as long as this. Errors: not_supported (not one run in memory).
  [[nodiscard]] virtual Result<std::span<const std::byte>> borrow() const = 0;
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// The next stretch from `offset` on that is no hole; both ends the size when there is none.
  [[nodiscard]] virtual Result<Range> next_data(std::uint64_t offset) const = 0;
};

}  // namespace packfs::content
