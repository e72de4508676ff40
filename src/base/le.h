#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace packfs::base {

/// A little-endian integer of `Bytes` bytes inside an on-disk structure: unaligned, so structures made of these have no
/// padding, and any mapped byte range may be looked at through them. get() reads memory once.
template <std::unsigned_integral T, std::size_t Bytes = sizeof(T)>
struct Le {
  std::byte raw[Bytes];

  [[nodiscard]] T get() const noexcept {
    if constexpr (Bytes == sizeof(T)) {
      return load_le<T>(raw);
    } else {
      T value = 0;
      for (std::size_t i = Bytes; i-- > 0;) value = static_cast<T>((value << 8) | std::to_integer<T>(raw[i]));
      return value;
    }
  }
  void set(T value) noexcept {
    if constexpr (Bytes == sizeof(T)) {
      store_le<T>(raw, value);
    } else {
      for (std::size_t i = 0; i < Bytes; ++i) raw[i] = static_cast<std::byte>(value >> (8 * i));
    }
  }
};

using Le8 = Le<std::uint8_t>;
using Le16 = Le<std::uint16_t>;
using Le24 = Le<std::uint32_t, 3>;
using Le32 = Le<std::uint32_t>;
using Le64 = Le<std::uint64_t>;

}  // namespace packfs::base
