#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace packfs::base {

/// 64-bit XXH3 (https://github.com/Cyan4973/xxHash): fast checksum and hash, not cryptographic.
[[nodiscard]] std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept;

/// 128-bit XXH3 of a stream of bytes. One thread at a time.
class Xxh3Stream128 {
 public:
  Xxh3Stream128();
  Xxh3Stream128(Xxh3Stream128&&) noexcept;
  Xxh3Stream128& operator=(Xxh3Stream128&&) noexcept;
  ~Xxh3Stream128();
  void update(std::span<const std::byte> bytes) noexcept;
  void update_u64(std::uint64_t value) noexcept;  ///< its eight little-endian bytes
  /// Canonical (big-endian) digest of all so far.
  [[nodiscard]] std::array<std::uint8_t, 16> digest() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace packfs::base
