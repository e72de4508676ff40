#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::host {

/// Content that is in memory already. Borrows the bytes.
class BufferSource final : public tree::ContentSource {
 public:
  explicit BufferSource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] bool in_memory() const override { return true; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return bytes_; }
  [[nodiscard]] bool rereadable() const override { return true; }
  [[nodiscard]] std::uint64_t expected_size() const override { return bytes_.size(); }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    if (offset >= bytes_.size()) return 0;
    const auto from = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(from.size(), buffer.size());
    std::copy_n(from.begin(), count, buffer.begin());
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override {
    return std::min<std::uint64_t>(offset, bytes_.size());
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace packfs::host
