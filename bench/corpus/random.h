#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace packfs::bench {

/// SplitMix64: the same numbers from the same seed on every machine, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  /// 0 to `bound` - 1; `bound` is at least 1 and far below 2^64.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  /// Mean 0, variance 1 (Box and Muller).
  double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log(unit()));
    return radius * std::cos(2.0 * std::numbers::pi * unit());
  }

 private:
  /// Above 0, at most 1.
  double unit() noexcept { return (static_cast<double>(next() >> 11) + 1.0) * 0x1.0p-53; }

  std::uint64_t state_;
};

}  // namespace packfs::bench
