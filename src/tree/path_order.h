#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace packfs::tree {

/// A path in order of its components.
inline bool path_less(std::string_view a, std::string_view b) noexcept {
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (right == b.end()) return false;
  if (left == a.end()) return true;
  if (*left == '/' || *right == '/') return *left == '/';
  return static_cast<unsigned char>(*left) < static_cast<unsigned char>(*right);
}

/// All paths at or below a directory: behind them in path order.
struct Below {
  std::string_view directory;
};

/// Paths in order of their components, so that what is below a directory follows it.
struct PathOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const noexcept { return path_less(a, b); }
  bool operator()(std::string_view path, const Below& below) const noexcept {
    return path_less(path, below.directory) || is_in(path, below.directory);
  }
  bool operator()(const Below& below, std::string_view path) const noexcept {
    return !is_in(path, below.directory) && path_less(below.directory, path);
  }
  static bool is_in(std::string_view path, std::string_view directory) noexcept {
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
  }
};
using PathSet = std::set<std::string, PathOrder>;

}  // namespace packfs::tree
