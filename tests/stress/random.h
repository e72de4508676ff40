#pragma once

#include <cstddef>
#include <cstdint>

namespace packfs::stress {

/// Numbers from a seed, the same on any machine (SplitMix64, public domain, Sebastiano Vigna).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }
  /// 0 to `end` - 1 (0 when there is none); `end` is small, so that the remainder's bias does not matter.
  std::uint64_t below(std::uint64_t end) noexcept { return end == 0 ? 0 : next() % end; }
  bool chance(unsigned percent) noexcept { return below(100) < percent; }
  /// One of an array's or vector's elements.
  template <class Elements>
  const auto& pick(const Elements& elements) noexcept {
    return elements[static_cast<std::size_t>(below(elements.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace packfs::stress
