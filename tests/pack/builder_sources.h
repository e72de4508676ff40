#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::testing {

/// A rereadable source (or a stream) that says one size and has another, fails where it is told to, and gives hints of
/// holes as a sparse file does.
class ScriptedSource final : public tree::ContentSource {
 public:
  explicit ScriptedSource(std::span<const std::byte> bytes) : bytes_(bytes), expected_(bytes.size()) {}

  ScriptedSource& stream() {
    rereadable_ = false;
    return *this;
  }
  ScriptedSource& expect(std::uint64_t size) {
    expected_ = size;
    return *this;
  }
  /// From the `reads`-th read() on, only `size` bytes are there.
  ScriptedSource& shrink(std::uint64_t reads, std::uint64_t size) {
    shrink_at_ = reads;
    shrunk_ = size;
    return *this;
  }
  /// Reading at or beyond `offset` fails, from the `reads`-th read() on.
  ScriptedSource& fail(std::uint64_t reads, std::uint64_t offset) {
    fail_at_ = reads;
    fail_offset_ = offset;
    return *this;
  }
  /// next_data() passes over zero blocks.
  ScriptedSource& hints() {
    hints_ = true;
    return *this;
  }

  [[nodiscard]] std::uint64_t reads() const { return reads_; }

  [[nodiscard]] bool in_memory() const override { return false; }
  [[nodiscard]] std::span<const std::byte> bytes() const override { return {}; }
  [[nodiscard]] bool rereadable() const override { return rereadable_; }
  [[nodiscard]] std::uint64_t expected_size() const override { return expected_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) override {
    ++reads_;
    if (fail_at_ && reads_ >= *fail_at_ && offset + buffer.size() > fail_offset_) {
      return std::unexpected(ErrorCode::io_error);
    }
    std::uint64_t end = bytes_.size();
    if (shrink_at_ && reads_ >= *shrink_at_) end = std::min(end, shrunk_);
    if (offset >= end) return 0;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - offset, buffer.size()));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, buffer.begin());
    return count;
  }
  [[nodiscard]] Result<std::uint64_t> next_data(std::uint64_t offset) override {
    if (!hints_) return offset;
    while (offset < bytes_.size() && bytes_[static_cast<std::size_t>(offset)] == std::byte{0}) ++offset;
    return offset == bytes_.size() ? expected_ : offset;
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t expected_;
  bool rereadable_ = true;
  bool hints_ = false;
  std::optional<std::uint64_t> shrink_at_;
  std::uint64_t shrunk_ = 0;
  std::optional<std::uint64_t> fail_at_;
  std::uint64_t fail_offset_ = 0;
  std::uint64_t reads_ = 0;
};

}  // namespace packfs::testing
