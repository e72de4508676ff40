#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "host/problem.h"
#include "packfs/error.h"
#include "packfs/view.h"

namespace packfs::host {

/// When to do something that is not always possible or wanted.
enum class Choice : std::uint8_t { automatic, always, never };

struct ExportOptions {
  /// Make setuid and setgid bits, devices and file capabilities (security.capability). Without it each is listed in
  /// `withheld`, and the rest of the entry is made.
  bool privileged = false;
  /// Set owner and group. automatic: when the process is root (effective user 0).
  Choice owner = Choice::automatic;
  /// Set the attributes of the view's own directory on the target. automatic: when open() made the target.
  Choice root_attributes = Choice::automatic;
  /// Also write into other mounts that lie below the target. Without it they are refused like a symlink.
  bool cross_mounts = false;
  std::uint64_t max_entries = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();  ///< of data written; holes cost none
  /// Called on the caller's thread now and then with what was written so far; false cancels.
  std::function<bool(std::uint64_t entries, std::uint64_t bytes)> progress = {};
};

/// What an export did. Paths are those in the view.
struct ExportReport {
  std::vector<Problem> failed;       ///< not written, nor anything below it
  std::vector<Problem> incomplete;   ///< written, but an attribute could not be set
  std::vector<Problem> withheld;     ///< left out for want of `privileged`: a device, or a part of an entry
  std::uint64_t owners_not_set = 0;  ///< entries that belong to another user or group in the view, but were not given
                                     ///< away because ExportOptions::owner says so
  std::uint64_t entries = 0;         ///< names written or merged, the root not counted
  std::uint64_t bytes = 0;           ///< data written, holes not counted
  bool made_target = false;          ///< open() made the target directory

  /// Everything is there as it is in the view, but for owners (owners_not_set).
  [[nodiscard]] bool exact() const noexcept { return failed.empty() && incomplete.empty() && withheld.empty(); }
};

/// Writes what a View shows into a host directory, and nowhere else: whatever the view holds, whatever lies in the
/// target already, and whatever other processes do there meanwhile. Each directory is reached anew from the target's
/// own handle without following a symlink, in it single names are used.
///
/// Collisions: directories merge; anything that is not a directory is replaced, by a new file renamed over it; a
/// directory where there is none in the view, or the other way round (a symlink to a directory is none), is a clash:
/// `failed` names it and it stays. Holes stay holes. Names of one file (link id) become hard links of the first that
/// was written. Attributes: owner, mode, extended attributes, then times; those of a directory after all that is in it.
///
/// One thread at a time. Descriptors are bounded whatever the depth. Borrows `io`.
class Exporter {
 public:
  /// Opens `target`, a host path that the caller trusts (it is followed), and makes it if it is missing.
  /// Errors: an errno of mkdir or open.
  [[nodiscard]] static Result<Exporter> open(base::Io& io, const View& view, const std::string& target,
                                             const ExportOptions& options);
  Exporter(Exporter&&) noexcept;
  Exporter& operator=(Exporter&&) noexcept;
  ~Exporter();

  /// Everything in the view. What fails is named in the report, and the rest goes on.
  /// Errors: no_space, EDQUOT, read_only (nothing further could succeed); too_large (a limit, the path says where);
  /// ECANCELED. What was written by then stays.
  [[nodiscard]] Result<void> write_all();

  /// The entry at `path` in the view, of any type, and all below it, under the same path in the target. Directories
  /// above it are made when missing, then with the view's attributes. No symlink in `path` is followed.
  /// Errors: as write_all(), and those of View for a path; not_a_directory (a symlink on the way).
  [[nodiscard]] Result<void> write_one(std::string_view path);

  [[nodiscard]] const ExportReport& report() const noexcept;

 private:
  class Run;
  explicit Exporter(std::unique_ptr<Run> run) noexcept;
  std::unique_ptr<Run> run_;
};

}  // namespace packfs::host
