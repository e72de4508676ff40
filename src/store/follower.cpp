#include "store/follower.h"

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <utility>

namespace packfs::store {

Result<bool> Follower::follow() {
  const auto manifest = directory_.manifest();
  if (!manifest) return std::unexpected(manifest.error());
  if (!*manifest) return std::unexpected(directory_.at(Error(ErrorCode::no_entry), kCurrent));
  const std::vector<SegmentEntry>& segments = (*manifest)->segments;
  Place place = place_;
  auto next = std::ranges::find(segments, place.segment, &SegmentEntry::id);
  const bool is_known = next != segments.end() && (next->end == 0 || next->end >= place.groups.position);
  try {
    if (!is_known) {
      place = {};
      next = segments.begin();
      if (auto begun = begin_anew(**manifest); !begun) return std::unexpected(std::move(begun.error()));
    }
    Result<void> read;
    for (; read && next != segments.end(); ++next) {
      if (place.segment != next->id) {
        place = {next->id, {sizeof(log::FileHeader), std::max(place.groups.last_commit, next->base_commit)}};
      }
      read = next + 1 == segments.end() ? read_last(*next, place) : read_closed(*next, place);
    }
    // Numbers that no commit got are counted on by where a segment begins, whether or not a group follows.
    if (read && !replayer_ && place.groups.last_commit > place_.groups.last_commit) replayer_.emplace(core_);
    const bool found = replayer_.has_value();
    if (read && found) read = replayer_->finish(place.groups.last_commit);
    replayer_.reset();
    if (!read) return std::unexpected(std::move(read.error()));
    place_ = place;
    return found;
  } catch (const std::bad_alloc&) {
    replayer_.reset();
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<void> Follower::begin_anew(const Manifest& manifest) {
  // At the first time nobody reads yet.
  tree::PartHeap& heap = core_.domain().heap();
  if (heap.origin() == 0) heap.set_origin(manifest.store_id);
  replayer_.emplace(core_);
  return replayer_->begin_anew({0, manifest.created, manifest.uid, manifest.gid});
}

/// Makes file_ the segment, mapped as long as it is, and `least_bytes` long.
Result<void> Follower::open_segment(std::uint64_t id, std::uint64_t least_bytes) {
  if (file_ && file_->header().segment_id == id) {
    const std::string name = segment_name(id);
    struct statx status{};
    const int known = directory_.io().statx(directory_.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status);
    if (known < 0) return std::unexpected(directory_.at(Error::from_errno(-known), name));
    if (status.stx_size <= file_->source().length() && file_->source().length() >= least_bytes) return {};
  }
  auto opened = SegmentFile::open(directory_, id);
  if (!opened) return std::unexpected(std::move(opened.error()));
  file_ = std::move(*opened);
  return {};
}

Result<void> Follower::read_closed(const SegmentEntry& entry, Place& place) {
  if (place.groups.position == entry.end) return {};
  if (auto opened = open_segment(entry.id, entry.end); !opened) return opened;
  if (!replayer_) replayer_.emplace(core_);
  const auto last = replayer_->apply_closed(*file_, place.groups.position, entry.end, place.groups.last_commit);
  if (!last) return std::unexpected(last.error());
  place.groups = {entry.end, *last};
  return {};
}

/// A segment that is still written.
Result<void> Follower::read_last(const SegmentEntry& entry, Place& place) {
  if (auto opened = open_segment(entry.id, 0); !opened) return opened;
  using Search = CountedGroups::Search;
  const Search search = place_.segment == 0 ? Search::always : Search::unless_blank;
  CountedGroups groups(*file_, 0, place.groups, search);
  for (;;) {
    const auto group = groups.next();
    if (!group) return std::unexpected(group.error());
    if (!group->has_value()) break;
    if (!replayer_) replayer_.emplace(core_);
    if (auto applied = replayer_->apply(*file_, **group); !applied)
      return std::unexpected(applied.error().with_path(file_->path()));
  }
  if (groups.lost()) return std::unexpected(*groups.lost());
  place.groups = groups.place();
  return {};
}

}  // namespace packfs::store
