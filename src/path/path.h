#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "packfs/error.h"

namespace packfs::path {

inline constexpr std::size_t kMaxComponent = 255;     ///< bytes
inline constexpr std::size_t kMaxPath = 1024 * 1024;  ///< bytes

/// Whether `name` can name an entry: 1 to 255 bytes, no '/' or NUL, not "." or "..". Nothing when it can; otherwise
/// name_too_long or invalid.
[[nodiscard]] std::optional<ErrorCode> check_component(std::string_view name) noexcept;

/// What ".." is in the path being split.
enum class DotDot : std::uint8_t {
  refused,  ///< a caller's path: escapes_root
  parent,   ///< a symlink's target: a component like any other, for the resolver to act on
};

/// Walks the components of a path from left to right, allocating nothing. Empty components and "." are passed over, so
/// "", "." and "/" have none. Borrows the path. Copies go on from the same place.
///
/// Errors that end the walk at once: name_too_long (a path over 1 MiB), invalid (a NUL byte anywhere). Errors that come
/// where they stand, after the components before them: name_too_long (over 255 bytes), escapes_root ("..", if refused).
///
///   Splitter splitter(path);
///   while (splitter.next()) use(splitter.component(), splitter.is_last());
///   if (auto error = splitter.error()) return std::unexpected(*error);
class Splitter {
 public:
  explicit Splitter(std::string_view path, DotDot dot_dot = DotDot::refused) noexcept
      : at_(path.data()), end_(path.data() + path.size()), dot_dot_(dot_dot), is_absolute_(path.starts_with('/')) {
    if (path.size() > kMaxPath) [[unlikely]] {
      fail(ErrorCode::name_too_long);
    } else if (find('\0') != end_) [[unlikely]] {
      fail(ErrorCode::invalid);
    } else {
      skip_nothings();
    }
  }

  /// Moves to the next component. False at the end and at an error; component() is then empty.
  [[nodiscard]] bool next() noexcept {
    const char* const end = find('/');
    component_ = {at_, static_cast<std::size_t>(end - at_)};
    if (component_.size() - 1 >= kMaxComponent) [[unlikely]] {
      return component_.empty() ? false : fail(ErrorCode::name_too_long);
    }
    if (component_ == ".." && dot_dot_ == DotDot::refused) [[unlikely]] {
      return fail(ErrorCode::escapes_root);
    }
    requires_directory_ = end != end_;
    at_ = end;
    skip_nothings();
    return true;
  }

  [[nodiscard]] std::string_view component() const noexcept { return component_; }
  /// No further component follows this one (nor an error). Before the first next(): the path has no components.
  [[nodiscard]] bool is_last() const noexcept { return at_ == end_ && !error_; }
  /// What must come next is a directory: a '/' follows this component, be it at the path's end.
  [[nodiscard]] bool requires_directory() const noexcept { return requires_directory_; }
  /// The path begins with '/'.
  [[nodiscard]] bool is_absolute() const noexcept { return is_absolute_; }
  /// Why next() returned false; nothing at the end.
  [[nodiscard]] std::optional<ErrorCode> error() const noexcept { return error_; }
  /// The first error in what has not been walked yet, so that a wrong path can be told from a missing entry.
  [[nodiscard]] std::optional<ErrorCode> error_ahead() const noexcept;

 private:
  // The first `byte` of what is left, or its end. memchr() beats a loop even on short names: their lengths vary, and a
  // loop's end is then mispredicted.
  [[nodiscard]] const char* find(char byte) const noexcept {
    if (at_ == end_) return end_;
    const void* found = std::memchr(at_, byte, static_cast<std::size_t>(end_ - at_));
    return found != nullptr ? static_cast<const char*>(found) : end_;
  }
  void skip_nothings() noexcept {
    while (at_ != end_ && (*at_ == '/' || (*at_ == '.' && (at_ + 1 == end_ || at_[1] == '/')))) ++at_;
  }
  bool fail(ErrorCode code) noexcept {
    error_ = code;
    component_ = {};
    at_ = end_;
    return false;
  }

  const char* at_;  // the first byte of the next component, or end_
  const char* end_;
  std::string_view component_;
  std::optional<ErrorCode> error_;
  DotDot dot_dot_;
  bool is_absolute_;
  bool requires_directory_ = false;
};

}  // namespace packfs::path
