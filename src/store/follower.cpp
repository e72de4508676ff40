#include "store/follower.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <utility>

#include "log/format.h"

namespace packfs::store {

Result<bool> Follower::follow() {
  const auto manifest = directory_.manifest();
  if (!manifest) return std::unexpected(manifest.error());
  if (!*manifest) return std::unexpected(directory_.at(Error(ErrorCode::no_entry), kCurrent));
  const std::vector<SegmentEntry>& segments = (*manifest)->segments;
  Place place = place_;
  auto next = std::ranges::find(segments, place.segment, &SegmentEntry::id);
  const bool is_known = next != segments.end() && (next->end == 0 || next->end >= place.position);
  try {
    if (!is_known) {
      place = {};
      next = segments.begin();
      if (auto begun = begin_anew(**manifest); !begun) return std::unexpected(std::move(begun.error()));
    }
    Result<void> read;
    for (; read && next != segments.end(); ++next) {
      if (place.segment != next->id) {
        place = {next->id, sizeof(log::FileHeader), std::max(place.last_commit, next->base_commit)};
      }
      read = next + 1 == segments.end() ? read_last(*next, place) : read_closed(*next, place);
    }
    const bool found = replayer_.has_value();
    if (read && found) read = replayer_->finish(place.last_commit);
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

Result<void> Follower::apply(const log::FoundGroup& group, Place& place) {
  if (!replayer_) replayer_.emplace(core_);
  if (auto applied = replayer_->apply(*file_, group); !applied) return applied;
  place.position = group.end;
  place.last_commit = group.commit;
  return {};
}

Result<void> Follower::read_closed(const SegmentEntry& entry, Place& place) {
  if (place.position == entry.end) return {};
  if (auto opened = open_segment(entry.id, entry.end); !opened) return opened;
  if (!replayer_) replayer_.emplace(core_);
  const auto last = replayer_->apply_closed(*file_, place.position, entry.end, place.last_commit);
  if (!last) return std::unexpected(last.error());
  place.position = entry.end;
  place.last_commit = *last;
  return {};
}

/// A segment that is still written.
Result<void> Follower::read_last(const SegmentEntry& entry, Place& place) {
  if (auto opened = open_segment(entry.id, 0); !opened) return opened;
  std::optional<std::uint64_t> lost_at;
  for (;;) {
    const auto damage = read_groups(place);
    if (!damage) return std::unexpected(damage.error());
    if (!*damage) return {};
    const auto lost = is_lost(**damage);
    if (!lost) return std::unexpected(lost.error());
    if (!*lost) return {};
    // The writer may have gone on while this was read. But what it knew then is there now.
    if (lost_at == (*damage)->offset()) return std::unexpected((*damage)->with_path(file_->path()));
    lost_at = (*damage)->offset();
  }
}

/// Does all whole groups from the place on; what is there instead of a further one.
Result<std::optional<Error>> Follower::read_groups(Place& place) {
  log::GroupReader groups(file_->source(), file_->header().segment_id, place.position, file_->source().length(),
                          place.last_commit);
  std::deque<log::FoundGroup> tail;  // not known to be durable
  for (;;) {
    const auto group = groups.next();
    if (!group) return std::unexpected(group.error().with_path(file_->path()));
    if (!group->has_value()) break;
    // The next writer goes on in the place of a mark; what stands behind one says whether it has.
    if (!(*group)->is_closed) tail.push_back(**group);
    for (; !tail.empty() && tail.front().end <= (*group)->synced_end; tail.pop_front()) {
      if (auto applied = apply(tail.front(), place); !applied) return std::unexpected(std::move(applied.error()));
    }
  }
  for (const log::FoundGroup& group : tail) {
    const auto whole = file_->is_whole(group);
    if (!whole) return std::unexpected(whole.error());
    if (!*whole) return groups.damage();
    if (auto applied = apply(group, place); !applied) return std::unexpected(std::move(applied.error()));
  }
  return groups.damage();
}

/// Whether what is missing was there once: something behind it knows it to be durable. Where nothing was written yet
/// that is not asked, since it costs a look at all that is allocated.
Result<bool> Follower::is_lost(const Error& damage) const {
  const content::Source& source = file_->source();
  const std::uint64_t at = *damage.offset();
  std::array<std::byte, sizeof(log::RecordHeader)> head{};
  const auto held = std::span(head).first(std::min<std::uint64_t>(head.size(), source.length() - at));
  if (auto copied = source.copy(at, held); !copied) return std::unexpected(copied.error().with_path(file_->path()));
  const bool is_blank = std::ranges::all_of(head, [](std::byte byte) { return byte == std::byte{0}; });
  if (is_blank && place_.segment != 0) return false;
  const auto known = log::is_known_durable(source, file_->header().segment_id, at, source.length());
  if (!known) return std::unexpected(known.error().with_path(file_->path()));
  return *known;
}

}  // namespace packfs::store
