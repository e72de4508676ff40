#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace packfs::log {

/// LEB128 as docs/format.md section 2.2 has it: seven bits a byte, low ones first, at most 10 bytes, none needless.
inline void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

/// Small for small magnitudes of either sign.
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

/// Takes values from the front of untrusted bytes. Borrows them. One thread at a time.
class VarintReader {
 public:
  explicit VarintReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

  /// Nothing when the bytes end, the value needs more than 64 bits, or its last byte is a needless zero.
  [[nodiscard]] std::optional<std::uint64_t> varint() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !rest_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      if (shift == 63 && byte > 1) return std::nullopt;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift != 0) return std::nullopt;
        return value;
      }
    }
    return std::nullopt;
  }

  /// A varint of at most `most`.
  [[nodiscard]] std::optional<std::uint64_t> varint_up_to(std::uint64_t most) noexcept {
    const auto value = varint();
    return value && *value <= most ? value : std::nullopt;
  }

  /// A varint length of at most `most`, then that many bytes.
  [[nodiscard]] std::optional<std::span<const std::byte>> counted(std::uint64_t most) noexcept {
    const auto length = varint_up_to(most);
    if (!length || *length > rest_.size()) return std::nullopt;
    const auto bytes = rest_.first(*length);
    rest_ = rest_.subspan(*length);
    return bytes;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace packfs::log
