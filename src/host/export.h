#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/io.h"
#include "packfs/error.h"
#include "packfs/host_tree.h"
#include "packfs/view.h"

namespace packfs::host {

using packfs::Choice;
using packfs::ExportOptions;
using packfs::ExportReport;
using packfs::Problem;

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
