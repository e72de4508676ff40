#pragma once

#include <string>
#include <string_view>

namespace packfs::testing {

/// A fresh directory (mode 0700) under $TMPDIR or /tmp, removed with all that is in it when this goes: whatever the
/// modes in it and however deep it is. Never follows a symlink out of it. Throws std::runtime_error when it cannot be
/// made.
class TempDir {
 public:
  TempDir();
  /// Under `parent` instead, for tests that need a certain filesystem.
  explicit TempDir(const std::string& parent);
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The path of `name` in it.
  [[nodiscard]] std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// Removes `path` and everything below it as ~TempDir does. False when something stayed.
bool remove_tree(const std::string& path);

}  // namespace packfs::testing
