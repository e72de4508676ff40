#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

#include "base/alloc.h"
#include "packfs/error.h"
#include "packfs/ref.h"
#include "store/directory.h"
#include "store/logged_content.h"
#include "tree/operation.h"

namespace packfs::store {

/// Lets contents that a journal was given lie in memory only until they can be read from its segment: of a commit once
/// it is durable, so that a sync that fails changes nothing for whoever reads; of a transaction that is written piece
/// by piece at once, since it may be larger than memory.
///
/// Threads: settle() by one at a time, beside all else; the others by whoever has the turn to write. Borrows the
/// directory.
class Settler {
 public:
  using Contents = std::list<Ref<const LoggedContent>, base::Allocator<Ref<const LoggedContent>>>;

  /// Shorter ones of appends and of writes into a file stay in memory: each piece costs more than it holds.
  static constexpr std::size_t kLeastPiece = 4096;

  /// Whether such a content is read from its segment.
  [[nodiscard]] static bool is_worth_it(tree::Operation::Kind kind, std::uint64_t size) noexcept;

  Settler(const Directory& directory, std::uint64_t segment_bytes) noexcept;

  /// The operation's bytes were put into the open group, to stand at `location`: from here on it has them as a content
  /// that will be read from there. Does nothing when it is not worth it. Errors: no_memory.
  Result<void> hold(tree::Operation& operation, std::uint64_t location);
  /// What of the open group stands before `end` was written to its segment.
  void written(std::uint64_t segment_id, std::uint64_t end) noexcept;
  /// What of the open group stands from `offset` on will not be.
  void drop_from(std::uint64_t offset) noexcept;
  /// The open group was committed.
  void commit() noexcept;

  /// All that was committed and waits to be durable.
  [[nodiscard]] Contents take_committed() noexcept;
  /// They are durable in that segment.
  void settle(const Contents& contents, std::uint64_t segment_id) noexcept;

 private:
  [[nodiscard]] Ref<const SegmentFile> file_of(std::uint64_t segment_id, std::uint64_t end) noexcept;

  const Directory& directory_;
  std::uint64_t mapped_bytes_;
  Contents open_;  // of the open group, in the order of their places
  std::mutex committed_mutex_;
  Contents committed_;
  std::mutex file_mutex_;
  Ref<const SegmentFile> file_;  // of the segment that is written; null when none was needed yet
};

}  // namespace packfs::store
