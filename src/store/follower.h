#pragma once

#include <cstdint>
#include <optional>

#include "packfs/ref.h"
#include "store/counted_groups.h"
#include "store/directory.h"
#include "store/manifest.h"
#include "store/replayer.h"
#include "store/segment_file.h"
#include "volume/core.h"
#include "volume/follower.h"

namespace packfs::store {

/// Reads the journal of a store that another process may be writing, and writes nothing.
///
/// A group counts when it is whole, with every checksum of its contents, or when a later one knows it to be durable.
/// What is no whole group is not there yet: the writer may be at it. So readers may see a commit before it is durable,
/// but never one whose writer could still take it back, except by a crash; if one did (the manifest then says that the
/// segment ends before what was read), everything is read anew.
class Follower final : public volume::Follower {
 public:
  /// `core` owns this.
  Follower(Directory directory, volume::Core& core) noexcept : directory_(std::move(directory)), core_(core) {}

  /// Errors, with path and offset: corrupt; unsupported_version; no_entry (there is no store any more); no_memory; an
  /// errno of the host.
  Result<bool> follow() override;

 private:
  /// Up to where the journal was read.
  struct Place {
    std::uint64_t segment = 0;  ///< none yet
    GroupPlace groups;
  };

  Result<void> begin_anew(const Manifest& manifest);
  Result<void> open_segment(std::uint64_t id, std::uint64_t least_bytes);
  Result<void> read_closed(const SegmentEntry& entry, Place& place);
  Result<void> read_last(const SegmentEntry& entry, Place& place);

  Directory directory_;
  volume::Core& core_;
  Place place_;
  Ref<const SegmentFile> file_;       // of the segment read last
  std::optional<Replayer> replayer_;  // within follow(), when there is something to do
};

}  // namespace packfs::store
