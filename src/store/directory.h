#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "base/unique_fd.h"
#include "packfs/error.h"
#include "store/manifest.h"

namespace packfs::store {

inline constexpr const char* kCurrent = "CURRENT";
inline constexpr const char* kNextCurrent = "CURRENT.new";
inline constexpr const char* kLock = "LOCK";

/// "segment-" and sixteen hexadecimal digits.
[[nodiscard]] std::string segment_name(std::uint64_t id);
/// The id in such a name.
[[nodiscard]] std::optional<std::uint64_t> segment_id_of(std::string_view name) noexcept;

/// The directory that a store is, by name. Errors of all calls: an errno of the host, with the path.
/// Threads: as whoever owns it does. Borrows the Io.
class Directory {
 public:
  /// Errors: no_entry; not_a_directory.
  static Result<Directory> open(base::Io& io, std::string_view path);
  /// Makes the directory if it is missing; its parent must be there.
  static Result<Directory> make(base::Io& io, std::string_view path);

  [[nodiscard]] base::Io& io() const noexcept { return *io_; }
  [[nodiscard]] int get() const noexcept { return fd_.get(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string path_of(std::string_view name) const;
  /// The error with the path of a file in here.
  [[nodiscard]] Error at(const Error& error, std::string_view name) const { return error.with_path(path_of(name)); }
  /// corrupt: a directory, a symlink, ... has the name of a file in here.
  [[nodiscard]] Error not_a_file(std::string_view name) const;

  /// The names in it, unsorted, without "." and "..".
  [[nodiscard]] Result<std::vector<std::string>> names() const;
  /// Errors: also corrupt (a symlink, a socket).
  [[nodiscard]] Result<base::unique_fd> open_file(const std::string& name, int flags) const;
  /// The manifest; nothing when there is none. Errors: as decode_manifest().
  [[nodiscard]] Result<std::optional<Manifest>> manifest() const;
  /// Writes what is to become the manifest into a temporary file, durably. When it fails, nothing has changed.
  Result<void> write_next_manifest(const Manifest& manifest) const;
  /// Makes it the store's, durably. When it fails, either may be what a crash leaves.
  Result<void> switch_manifest() const;
  Result<void> remove(const std::string& name) const;
  Result<void> sync() const;
  /// Makes its own name durable, in the directory above it. One that may not be read is left to whoever made this
  /// there.
  Result<void> sync_above() const;
  /// The lock that one writer holds; it is free again when the descriptor is closed. Errors: busy.
  [[nodiscard]] Result<base::unique_fd> lock() const;

 private:
  Directory(base::Io& io, base::unique_fd fd, std::string_view path) : io_(&io), fd_(std::move(fd)), path_(path) {}

  base::Io* io_;
  base::unique_fd fd_;
  std::string path_;
};

}  // namespace packfs::store
