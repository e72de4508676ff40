#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace packfs::base {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

/// Reads a little-endian integer from unaligned bytes, once.
template <std::unsigned_integral T>
[[nodiscard]] inline T load_le(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) value = std::byteswap(value);
  return value;
}

template <std::unsigned_integral T>
inline void store_le(std::byte* at, T value) noexcept {
  if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) value = std::byteswap(value);
  std::memcpy(at, &value, sizeof value);
}

/// True when [offset, offset + length) lies within [0, limit), whatever the values: nothing overflows.
[[nodiscard]] constexpr bool range_fits(std::uint64_t offset, std::uint64_t length, std::uint64_t limit) noexcept {
  return offset <= limit && length <= limit - offset;
}

/// `value` rounded up to a multiple of `unit` (a power of two); nothing when that exceeds 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> align_up(std::uint64_t value, std::uint64_t unit) noexcept {
  const std::uint64_t added = value + (unit - 1);
  if (added < value) return std::nullopt;
  return added & ~(unit - 1);
}

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace packfs::base
