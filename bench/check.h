#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "packfs/error.h"

namespace packfs::bench {

/// Ends the program: a benchmark whose ground does not hold measures nothing.
[[noreturn]] void fail(std::string_view what);
/// The same, with what errno says.
[[noreturn]] void fail_errno(std::string_view what);

/// The value, or the end of the program.
template <class T>
T must(Result<T> result, std::string_view what) {
  if (!result) fail(std::string(what) + ": " + result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// The result of a system call, or the end of the program.
template <class T>
T must_call(T result, std::string_view what) {
  if (result < 0) fail_errno(what);
  return result;
}

inline void must_hold(bool condition, std::string_view what) {
  if (!condition) fail(what);
}

}  // namespace packfs::bench
