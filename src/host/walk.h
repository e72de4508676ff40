#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io.h"
#include "host/directory_reader.h"
#include "host/directory_trail.h"
#include "host/status.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::host {

/// One step of a walk: go back up `leaves` directories; then enter a directory, or name one that cannot be, or go on
/// with the current one; then take its entries [begin, end) of `names`, which are not directories.
struct WalkStep {
  enum class Kind : std::uint8_t { enter, skip, go_on };
  std::size_t leaves = 0;
  Kind kind = Kind::go_on;
  std::string name;                 ///< enter, skip; empty for the first directory
  Attributes attributes;            ///< enter
  std::optional<Error> incomplete;  ///< enter: an extended attribute that could not be read
  bool changed = false;             ///< enter: the directory changed while it was listed
  /// enter: it is on another device, so nothing in it is visited. skip: it is one of the excluded.
  bool left_out = false;
  Error error = ErrorCode::io_error;  ///< skip
  SharedDirectory handle;
  std::shared_ptr<const Names<Nothing>> names;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Walks a host directory in the order of docs/format.md section 6, without recursion, without following a symlink,
/// with bounded descriptors. One thread at a time, not always the same. Borrows `io`.
class Walk {
 public:
  static constexpr std::size_t kMaxStepEntries = 64;

  /// Reads the first directory. Borrows `exclude`: directories below it that are not entered. Errors: an errno of
  /// reading it.
  [[nodiscard]] static Result<Walk> open(base::Io& io, base::unique_fd directory, bool one_device,
                                         std::span<const FileIdentity> exclude = {});

  /// The next step, or nothing at the end.
  [[nodiscard]] std::optional<WalkStep> next();

 private:
  struct Level {
    std::shared_ptr<const Names<Nothing>> others;
    std::size_t next_other = 0;
    Names<Nothing> directories;
    std::size_t next_directory = 0;
  };
  Walk(base::Io& io, DirectoryTrail trail, std::uint64_t device, bool one_device, std::span<const FileIdentity> exclude)
      : io_(&io), trail_(std::move(trail)), device_(device), one_device_(one_device), exclude_(exclude) {}

  [[nodiscard]] WalkStep enter(std::string_view name);
  [[nodiscard]] Result<WalkStep> read_current(const struct statx& status);
  void take_entries(WalkStep& step);
  void leave();

  base::Io* io_;
  DirectoryTrail trail_;
  std::uint64_t device_;
  bool one_device_;
  std::span<const FileIdentity> exclude_;
  std::vector<Level> levels_;
  std::optional<WalkStep> first_;
  std::size_t leaves_ = 0;
};

}  // namespace packfs::host
