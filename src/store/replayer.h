#pragma once

#include <memory>
#include <vector>

#include "log/group_reader.h"
#include "log/operation_record.h"
#include "store/segment_file.h"
#include "volume/core.h"

namespace packfs::store {

/// Does the operations of a journal again, on a volume that nobody else uses yet. One thread.
class Replayer {
 public:
  /// Throws std::bad_alloc.
  explicit Replayer(volume::Core& core);
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;
  ~Replayer();  ///< what was not finished is as if it had not been begun

  /// The state becomes that of an empty volume. Errors: no_memory.
  Result<void> begin_anew(const tree::Stamp& root);
  /// All groups from `begin` to `end`, where they end, of a segment that another follows: all of it was durable before
  /// that one was begun. Returns the last commit's number, `last_commit` when there is no group. Errors, with the
  /// file's path: as apply(); corrupt (anything but such groups).
  Result<std::uint64_t> apply_closed(const SegmentFile& file, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t last_commit);
  /// All operations of a group. Errors, without the file's path, since the group may be a copy: corrupt (an operation
  /// that cannot have been done there); no_memory.
  Result<void> apply(const SegmentFile& file, const log::FoundGroup& group);
  /// What came of it is the volume's newest state. Errors: no_memory.
  Result<void> finish(std::uint64_t last_commit);

 private:
  Result<void> apply(const SegmentFile& file, const log::ScannedRecord& scanned);
  Result<void> fill_content(const SegmentFile& file, const log::ScannedRecord& scanned, tree::Operation& operation);

  volume::Core& core_;
  tree::NextNumbers finished_;  // those of the volume's newest state
  Ref<tree::WorkingTable> table_;
  std::unique_ptr<tree::Edit> edit_;
  std::vector<std::byte> bytes_;  // of the content of one operation
};

}  // namespace packfs::store
