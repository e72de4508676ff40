#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "log/group_reader.h"
#include "store/counted_groups.h"
#include "store/directory.h"
#include "store/journal.h"
#include "store/manifest.h"
#include "store/replayer.h"
#include "store/segment_file.h"

namespace packfs::store {

/// Brings a volume to the state of a store's journal, and the journal to a place where it can go on.
///
/// What a crash may leave: every group up to the highest `synced_end` that any group tells was durable, so damage there
/// is corruption. The groups beyond (the tail) may be whole or not, in any mixture: those that are whole, with every
/// checksum of their contents, up to the first that is not, are written anew into a segment of their own and synced,
/// before anything is written or acknowledged; nothing behind them in the old segment counts again. So no later crash
/// can take away what was once read, and nothing left behind by an earlier one can come back.
class Recovery {
 public:
  /// Borrows all but the names: files that are removed before anything is written, but not from a store that is
  /// refused. The manifest follows what recovery does.
  Recovery(const Directory& directory, Manifest& manifest, Replayer& replayer,
           std::vector<std::string> leftovers) noexcept
      : directory_(directory), manifest_(manifest), replayer_(replayer), leftovers_(std::move(leftovers)) {}

  /// Errors, with path and offset: corrupt; unsupported_version; no_memory; an errno of the host.
  Result<JournalEnd> run();

 private:
  Result<void> replay_closed(const SegmentEntry& entry);
  Result<JournalEnd> replay_last(const SegmentEntry& entry);
  Result<void> remove_leftovers() const;
  Result<JournalEnd> behind(const SegmentFile& file, const CountedGroups& groups);
  Result<JournalEnd> carry_forward(const SegmentFile& file, std::uint64_t cut);
  Result<std::uint64_t> copy_groups(const SegmentFile& file, log::SegmentWriter& writer) const;
  Result<void> replay_copied(std::uint64_t segment_id, std::uint64_t end, const SegmentFile& origin);
  Result<JournalEnd> go_on(const SegmentFile& file, const log::FoundGroup& mark) const;

  const Directory& directory_;
  Manifest& manifest_;
  Replayer& replayer_;
  std::vector<std::string> leftovers_;
  std::uint64_t last_commit_ = 0;
  std::vector<log::FoundGroup> tail_;  // read, but not known to be durable
};

}  // namespace packfs::store
