#include "base/hash_long.h"

// The state's layout is needed, to keep it without an allocation of xxhash's own.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/bytes.h"
#include "base/hash.h"

#ifdef PACKFS_XXH_DISPATCH
// Debian's libxxhash is built for the least x86-64, but carries AVX2 and AVX-512 variants behind these names.
#include <xxh_x86dispatch.h>
#endif

namespace packfs::base {

std::uint64_t xxh3_long(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

struct Xxh3Stream128::State {
  XXH3_state_t xxh3;
};

Xxh3Stream128::Xxh3Stream128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }
Xxh3Stream128::Xxh3Stream128(Xxh3Stream128&&) noexcept = default;
Xxh3Stream128& Xxh3Stream128::operator=(Xxh3Stream128&&) noexcept = default;
Xxh3Stream128::~Xxh3Stream128() = default;

void Xxh3Stream128::update(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

void Xxh3Stream128::update_u64(std::uint64_t value) noexcept {
  std::byte bytes[sizeof value];
  store_le(bytes, value);
  update(bytes);
}

std::array<std::uint8_t, 16> Xxh3Stream128::digest() const noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh3));
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), canonical.digest, bytes.size());
  return bytes;
}

}  // namespace packfs::base
