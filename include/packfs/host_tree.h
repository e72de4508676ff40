#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/view.h"
#include "packfs/volume.h"

namespace packfs {

/// Something that could not be done as asked, and where. `path` is what a person is shown: bytes, never empty.
struct Problem {
  std::string path;
  Error error;
};

/// When to do something that is not always possible or wanted.
enum class Choice : std::uint8_t { automatic, always, never };

/// How host trees are taken in.
struct ImportOptions {
  /// Threads at work in all, the caller's included; 0: as many as the machine has processors, at most 16. What comes of
  /// it does not depend on it.
  unsigned threads = 0;
  /// Do not enter directories on another device than the source they are below: each becomes an empty directory and is
  /// listed in `left_out`. Without it mounts are crossed like any directory.
  bool one_device = false;
  /// Of a single source that is a directory: its own attributes become those of the directory it goes into. automatic:
  /// when that was made or empty.
  Choice root_attributes = Choice::automatic;
  /// Host paths of files and directories to leave out wherever they are met below the sources (symlinks in them are
  /// followed): the store's own directory, for one. Those that are not there count for nothing.
  std::vector<std::string> exclude = {};
  /// Called on the caller's thread now and then with what was taken in so far; false cancels.
  std::function<bool(std::uint64_t entries, std::uint64_t bytes)> progress = {};
};

/// What an import did. Its lists follow the order of the import and depend on no thread.
struct ImportReport {
  std::vector<Problem> skipped;       ///< not taken in, nor anything below it
  std::vector<Problem> changed;       ///< taken in, but it changed while it was read: it may never have been so
  std::vector<Problem> incomplete;    ///< taken in, but an extended attribute could not be read
  std::vector<std::string> left_out;  ///< not taken in because the options say so
  std::uint64_t entries = 0;          ///< names taken in, the root not counted
  std::uint64_t bytes = 0;            ///< content of regular files taken in; one with several names counts once

  /// Everything that was asked for was taken in as it was.
  [[nodiscard]] bool exact() const noexcept { return skipped.empty() && changed.empty() && incomplete.empty(); }
};

/// How a view is written to the host.
struct ExportOptions {
  /// Make setuid and setgid bits, devices and file capabilities (security.capability). Without it each is listed in
  /// `withheld`, and the rest of the entry is made.
  bool privileged = false;
  /// Set owner and group. automatic: when the process is root (effective user 0).
  Choice owner = Choice::automatic;
  /// Set the attributes of the view's own directory on the target. automatic: when the target was made.
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
  bool made_target = false;          ///< the target directory was not there

  /// Everything is there as it is in the view, but for owners (owners_not_set).
  [[nodiscard]] bool exact() const noexcept { return failed.empty() && incomplete.empty() && withheld.empty(); }
};

/// Takes host trees into the directory `into` of the volume, as part of the transaction: exactly, or named in `report`
/// where it is not. What is missing of `into` is made, mode 0755; symlinks in it are followed.
///
/// One source that is a directory: its contents go into `into` (and its attributes, ImportOptions::root_attributes).
/// Otherwise each source, of whatever type, goes in under its base name. No symlink at the end of a source (unless a
/// '/' follows it) or below it is followed: it is taken in as what it is. Names of one host file share one file in the
/// volume. Whole, aligned blocks of 4096 zeros become holes.
///
/// What is there already: directories merge and get the attributes of what comes; anything else is replaced by what is
/// no directory either (other names of a replaced file keep what they had); a directory on one side only is a clash:
/// the entry is `skipped` (exists), with all below it, and what was there stays. A symlink to a directory is none.
///
/// Each entry costs about one record in a store's journal, one more for a directory. Contents are handed over in pieces
/// of about 1 MiB; memory is needed for some 30 bytes and the name of each entry, read ahead at most 32 MiB.
///
/// Errors, with the path, after which the transaction holds a part and should be dropped: an errno of a source that
/// cannot be reached at all; invalid (no source, or one without a base name; the transaction has ended); exists (two
/// sources with one base name); not_a_directory (`into`); those of View for `into`; ECANCELED; no_memory; the
/// transaction's. `report` is valid after an error too.
Result<void> import_tree(std::span<const std::string> sources, Transaction& transaction, std::string_view into,
                         const ImportOptions& options, ImportReport& report);

/// The same as a transaction of its own, durable when it returns: the commit's number, after which all is there that
/// the report does not name; after an error nothing is. Errors: also those of Volume::begin() and
/// Transaction::commit().
Result<std::uint64_t> import_tree(std::span<const std::string> sources, Volume& volume, std::string_view into,
                                  const ImportOptions& options, ImportReport& report);

/// Writes what a view shows (of a pack, a snapshot, a subdirectory of either) into a host directory, and nowhere else:
/// whatever the view holds, whatever lies in the target already, and whatever other processes do there meanwhile.
/// `target` is a host path that the caller trusts (it is followed); it is made if it is missing, its parent must be
/// there.
///
/// Collisions: directories merge; anything that is not a directory is replaced, by a new file renamed over it; a
/// directory where there is none in the view, or the other way round (a symlink to a directory is none), is a clash:
/// `failed` names it and it stays. Holes stay holes, names of one file become hard links. Attributes: owner, mode,
/// extended attributes, then times; those of a directory after all that is in it. What fails is named, and the rest
/// goes on.
///
/// Errors: an errno of making or opening the target; no_space, EDQUOT, read_only (nothing further could succeed);
/// too_large (a limit, the path says where); ECANCELED. What was written by then stays. `report` is valid after an
/// error too.
Result<void> export_tree(const View& view, const std::string& target, const ExportOptions& options,
                         ExportReport& report);

}  // namespace packfs
