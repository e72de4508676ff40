#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace packfs::tree {

/// Bytes as integers, byte 0 in the low bits.
namespace detail {
inline std::uint64_t load_word(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return std::endian::native == std::endian::little ? word : std::byteswap(word);
}
inline std::uint64_t load_half(const char* at) noexcept {
  std::uint32_t half = 0;
  std::memcpy(&half, at, 4);
  return std::endian::native == std::endian::little ? half : std::byteswap(half);
}
}  // namespace detail

/// The first eight bytes of `length` ones, byte 0 highest, zeros behind their end: ordered as the bytes are, but for
/// zeros at the end.
[[nodiscard]] inline std::uint64_t first_word(const char* bytes, std::size_t length) noexcept {
  if (length >= 8) return std::byteswap(detail::load_word(bytes));
  if (length >= 4) {
    const std::uint64_t low = detail::load_half(bytes);
    const std::uint64_t high = detail::load_half(bytes + length - 4);
    return std::byteswap(low | high << (8 * (length - 4)));
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < length; ++i) word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (56 - 8 * i);
  return word;
}

/// Whether `length` bytes are the same. Inline, for names: most are shorter than what a call of memcmp(3) costs.
[[nodiscard]] inline bool same_bytes(const char* a, const char* b, std::size_t length) noexcept {
  using detail::load_half;
  using detail::load_word;
  if (length >= 8) {
    for (std::size_t i = 0; i + 8 < length; i += 8) {
      if (load_word(a + i) != load_word(b + i)) return false;
    }
    return load_word(a + length - 8) == load_word(b + length - 8);
  }
  if (length >= 4) return load_half(a) == load_half(b) && load_half(a + length - 4) == load_half(b + length - 4);
  for (std::size_t i = 0; i < length; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// The begin of a name, compared by two integers: its first 15 bytes, zeros behind its end, then its length, cut off at
/// 16. Keys order as the names do; equal keys belong to equal names unless is_cut().
struct NameKey {
  static constexpr std::size_t kBytes = 15;

  std::uint64_t high = 0;
  std::uint64_t low = 0;

  NameKey() = default;
  explicit NameKey(std::string_view name) noexcept : high(first_word(name.data(), name.size())) {
    if (name.size() > 8) low = first_word(name.data() + 8, name.size() - 8 < 7 ? name.size() - 8 : 7);
    low |= name.size() <= kBytes ? name.size() : kBytes + 1;
  }
  [[nodiscard]] bool is_cut() const noexcept { return (low & 0xff) > kBytes; }
  /// The whole name's length when it is not cut.
  [[nodiscard]] bool is_empty() const noexcept { return (low & 0xff) == 0; }
  friend auto operator<=>(const NameKey&, const NameKey&) = default;
};

}  // namespace packfs::tree
