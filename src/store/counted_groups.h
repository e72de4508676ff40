#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "log/format.h"
#include "log/group_reader.h"
#include "packfs/error.h"
#include "store/segment_file.h"

namespace packfs::store {

/// Up to where the groups of a segment were read, and the last commit before that place.
struct GroupPlace {
  std::uint64_t position = sizeof(log::FileHeader);
  std::uint64_t last_commit = 0;
};

/// Reads the groups of a segment that count, in their order (docs/format.md section 7.2), for all who read a journal:
/// they must not judge it differently.
///
/// Of a segment that another follows every group up to its end counts, since all of it was durable before that one was
/// begun; anything else there is lost. A mark in it says nothing.
///
/// Of the last segment a group counts at once when it, or a later one, knows that place to be durable. Those behind
/// (the tail) count when their contents are whole, up to the first that is not. The mark of an orderly closing is no
/// group to be given; it ends them: the next writer goes on in its place. What stands where the groups end was lost if
/// something behind knows more to be durable; then all groups before it are, whole or not. Else it is not there yet, or
/// never was. A writer may be at work on the segment: what seems lost is looked at again, since what that writer knew
/// to be durable is there now.
///
/// Borrows the file. One thread at a time. Throws std::bad_alloc.
class CountedGroups {
 public:
  /// How what stands behind the groups of the last segment is searched for something that knows them to be lost.
  enum class Search : std::uint8_t {
    always,
    /// Not where nothing was written yet: for who comes often, since it costs a look at all that is allocated.
    unless_blank,
  };

  /// Groups from `from` on. `closed_end`: where the segment's groups end, as the manifest says; 0: it is the last one.
  CountedGroups(const SegmentFile& file, std::uint64_t closed_end, const GroupPlace& from,
                Search search = Search::always);

  /// The next group that counts; nothing where they end.
  /// Errors, with the file's path: unsupported_version; no_memory; an errno of pread.
  [[nodiscard]] Result<std::optional<log::FoundGroup>> next();
  /// Up to where they were given.
  [[nodiscard]] const GroupPlace& place() const noexcept { return place_; }
  /// Whether a group that was given is known to be durable, or else belongs to the tail.
  [[nodiscard]] bool is_durable(const log::FoundGroup& group) const noexcept { return group.end <= durable_; }

  // When all were given:

  /// What stands where they end, if that was lost: corrupt, with path and offset.
  [[nodiscard]] const std::optional<Error>& lost() const noexcept { return lost_; }
  /// The mark that stands there.
  [[nodiscard]] const std::optional<log::FoundGroup>& mark() const noexcept { return mark_; }
  /// Where they end, the mark with them.
  [[nodiscard]] std::uint64_t end() const noexcept { return mark_ ? mark_->end : place_.position; }
  /// How many bytes behind that were ever written, up to the last that is not zero. Of the last segment, always
  /// searched.
  [[nodiscard]] std::uint64_t unfinished_bytes() const noexcept { return used_end_ > end() ? used_end_ - end() : 0; }

 private:
  Result<void> find();
  Result<void> judge_closed();
  Result<void> judge_last();
  [[nodiscard]] Result<bool> is_known_lost(std::uint64_t at);
  [[nodiscard]] Result<bool> is_blank_at(std::uint64_t at) const;
  [[nodiscard]] log::GroupReader reader_from_place() const noexcept;
  [[nodiscard]] bool is_closed() const noexcept { return closed_end_ != 0; }
  [[nodiscard]] std::unexpected<Error> failed(const Error& error) const;

  const SegmentFile& file_;
  std::uint64_t closed_end_;
  Search search_;
  GroupPlace place_;
  std::optional<log::GroupReader> groups_;
  std::deque<log::FoundGroup> found_;  // and not given yet
  std::uint64_t durable_;              // all before it is
  bool are_all_found_ = false;
  std::optional<std::uint64_t> seemed_lost_;
  std::optional<Error> lost_;
  std::optional<log::FoundGroup> mark_;
  std::uint64_t used_end_ = 0;
};

}  // namespace packfs::store
