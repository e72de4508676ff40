#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace packfs::base {

/// xxh3() of any length with the widest vectors this processor has, chosen at run time. For hash.cpp.
[[nodiscard]] std::uint64_t xxh3_long(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

}  // namespace packfs::base
