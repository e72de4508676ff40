#pragma once

#include <cstdint>
#include <string_view>

namespace packfs::testing {

/// A sweep runs one of so many of its cases: all of them, except under sanitizers, which make each ten times as slow.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr std::uint64_t kSampleStride = 17;
#elif __has_feature(address_sanitizer)
inline constexpr std::uint64_t kSampleStride = 5;
#else
inline constexpr std::uint64_t kSampleStride = 1;
#endif
#else
inline constexpr std::uint64_t kSampleStride = 1;
#endif

/// Whether this run's sample holds the case of that name. The seed and the name decide, nothing else: a seed repeats
/// its cases whichever tests are run, and kSampleStride successive seeds cover every case.
[[nodiscard]] bool sampled(std::string_view name);

}  // namespace packfs::testing
