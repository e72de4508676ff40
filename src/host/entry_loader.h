#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/alloc.h"
#include "base/io.h"
#include "base/unique_fd.h"
#include "host/status.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// Regular files up to this size are read whole, larger ones are streamed.
inline constexpr std::uint64_t kReadWholeBytes = std::uint64_t{1} << 20;

/// What a host directory's entry that is not a directory was found to be.
struct LoadedEntry {
  enum class State : std::uint8_t {
    deferred,  ///< only `status` is known: EntryLoader::load() it
    loaded,    ///< everything is here
    streamed,  ///< `stream` is open, its content is still to be read
    left_out,  ///< it is an excluded file
    skipped,   ///< `error` says why
  };
  State state = State::deferred;
  bool changed = false;             ///< it changed while it was read
  struct statx status{};            ///< of what was opened
  Attributes attributes;            ///< loaded, streamed
  std::optional<Error> incomplete;  ///< an extended attribute that could not be read
  std::string target;               ///< of a symlink
  base::Buffer content;             ///< of a regular file: its first `content_bytes`
  std::size_t content_bytes = 0;
  base::unique_fd stream;
  Error error = ErrorCode::io_error;

  [[nodiscard]] FileType type() const noexcept { return type_of(status); }
};

/// Reads entries of host directories without following a symlink, opening anything but a regular file, or waiting for
/// the other end of a FIFO. Threads: any, all at once. Borrows `io`.
class EntryLoader {
 public:
  /// Borrows `exclude`: the files that are left out.
  EntryLoader(base::Io& io, std::span<const FileIdentity> exclude) noexcept : io_(io), exclude_(exclude) {}

  /// Finds out what `name` is. The result is deferred, left_out or skipped.
  [[nodiscard]] LoadedEntry probe(int directory, const char* name) const;

  /// probe() and load() of what a helper may read ahead: anything with one name that is not a large file. All else
  /// stays deferred.
  [[nodiscard]] LoadedEntry load_ahead(int directory, const char* name) const;

  /// Reads what probe() found. The result is loaded, streamed or skipped.
  [[nodiscard]] LoadedEntry load(int directory, const char* name, const struct statx& probed) const;

 private:
  enum class Sizes : bool { all, small_only };
  [[nodiscard]] bool is_excluded(const struct statx& status) const;
  [[nodiscard]] LoadedEntry load_regular(int directory, const char* name, Sizes sizes) const;
  [[nodiscard]] LoadedEntry load_other(int directory, const char* name) const;
  void read_whole(LoadedEntry& entry, int fd) const;
  [[nodiscard]] Result<std::string> read_target(int directory, const char* name, std::uint64_t length) const;

  base::Io& io_;
  std::span<const FileIdentity> exclude_;
};

}  // namespace packfs::host
