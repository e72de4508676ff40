#pragma once

#include <cerrno>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace packfs {

/// What went wrong. Positive values are errno values (any errno may occur, not only those named here); negative ones
/// are PackFS's own.
enum class ErrorCode : int {
  corrupt = -1,              ///< bytes that the format does not allow; the error's offset says where
  poisoned = -2,             ///< an earlier failed write or sync; reopen to learn the outcome
  escapes_root = -3,         ///< a path that would leave the tree it must stay in
  unsupported_version = -4,  ///< a format version or feature this library does not read
  not_a_pack = -5,           ///< the file does not begin as a pack does

  not_permitted = EPERM,
  no_entry = ENOENT,
  io_error = EIO,
  no_memory = ENOMEM,
  access_denied = EACCES,
  busy = EBUSY,
  exists = EEXIST,
  not_a_directory = ENOTDIR,
  is_a_directory = EISDIR,
  invalid = EINVAL,
  too_many_open_files = EMFILE,
  too_large = EFBIG,
  no_space = ENOSPC,
  read_only = EROFS,
  name_too_long = ENAMETOOLONG,
  not_empty = ENOTEMPTY,
  symlink_loop = ELOOP,
  no_data = ENODATA,
  not_supported = EOPNOTSUPP,
  stale = ESTALE,
};

/// A failure: a code, and the path, offset and explanation where they are known. A code alone allocates nothing, so a
/// miss on a hot path is free. Copies share their details. Threads: a const Error may be read by any number.
class Error {
 public:
  Error(ErrorCode code) noexcept : code_(code) {}  // NOLINT(google-explicit-constructor): `return ErrorCode::x;`
  /// `error_number` is an errno value, at least 1.
  static Error from_errno(int error_number) noexcept { return {static_cast<ErrorCode>(error_number)}; }

  /// Each adds one detail and keeps the others; a path is set once: an inner, more exact one wins.
  [[nodiscard]] Error with_path(std::string_view path) const;
  [[nodiscard]] Error with_offset(std::uint64_t offset) const;
  [[nodiscard]] Error with_note(std::string_view note) const;

  /// What went wrong; compare it with ErrorCode's names, or with errno values.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  /// The nearest errno value: the code itself, or for PackFS's own codes EIO (corrupt, poisoned), EXDEV
  /// (escapes_root), ENOTSUP (unsupported_version), EINVAL (not_a_pack).
  [[nodiscard]] int to_errno() const noexcept;
  /// The path the failure is about, as bytes; empty when unknown. Valid as long as this Error or a copy.
  [[nodiscard]] std::string_view path() const noexcept;
  /// Byte offset in the file `path()` names, when known.
  [[nodiscard]] std::optional<std::uint64_t> offset() const noexcept;
  /// One line for people: "PATH: what happened at offset N (note)". Bytes of the path are kept as they are.
  [[nodiscard]] std::string message() const;

 private:
  struct Details;
  ErrorCode code_;
  std::shared_ptr<const Details> details_;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace packfs
