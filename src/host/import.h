#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/io.h"
#include "host/status.h"
#include "packfs/error.h"
#include "packfs/host_tree.h"
#include "tree/sink.h"

namespace packfs::host {

struct ImportOptions {
  /// Threads at work in all, the caller's included; 0 counts as 1. Helpers read small files ahead and start only when
  /// there is enough to do. What reaches the sink, and in what order, does not depend on it.
  unsigned threads = 1;
  /// Do not enter directories on another device than the source they are below: each becomes an empty directory and is
  /// listed in `left_out`. Without it mounts are crossed like any directory.
  bool one_device = false;
  /// Files and directories to leave out, wherever they are met below the sources: the output that is being written, and
  /// what it will replace.
  std::vector<FileIdentity> exclude = {};
  /// Called on the caller's thread now and then with what was taken in so far; false cancels.
  std::function<bool(std::uint64_t entries, std::uint64_t bytes)> progress = {};
  /// Helpers start after this much work, in entries, a directory counting as twenty: about half a millisecond, below
  /// which threads cost more than they give.
  std::uint64_t helpers_after = 200;
};

using packfs::ImportReport;
using packfs::Problem;

/// Takes host trees into `sink`: exactly, or named in `report` where it is not.
///
/// One source that is a directory: its contents and its own attributes become the sink's root. Otherwise each source,
/// of whatever type, goes in under its base name, and the root keeps the sink's defaults. A source's last component is
/// not followed when it is a symlink (unless a '/' ends it), nor is any symlink below.
///
/// The order is that of docs/format.md section 6: a directory; its entries that are not directories in byte order of
/// their names; its subdirectories in that order, each likewise. Several sources come in that order too.
///
/// Files of up to 1 MiB are handed over in memory, larger ones as a rereadable source. Descriptors in use are bounded
/// (about 20, and one for each thread) whatever the depth; paths below a source may be as long as 1 MiB.
///
/// Errors: those of the sink other than exists, invalid and name_too_long (which make the entry `skipped`); an errno of
/// a source that cannot be reached at all (nothing has been added then); invalid (no source, or one without a base
/// name); exists (two sources with one base name); ECANCELED; no_memory. `report` is valid after an error too.
[[nodiscard]] Result<void> import_tree(base::Io& io, std::span<const std::string> sources, tree::Sink& sink,
                                       const ImportOptions& options, ImportReport& report);

}  // namespace packfs::host
