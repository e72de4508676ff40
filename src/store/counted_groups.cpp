#include "store/counted_groups.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace packfs::store {

CountedGroups::CountedGroups(const SegmentFile& file, std::uint64_t closed_end, const GroupPlace& from, Search search)
    : file_(file), closed_end_(closed_end), search_(search), place_(from), durable_(closed_end) {
  groups_.emplace(reader_from_place());
}

log::GroupReader CountedGroups::reader_from_place() const noexcept {
  const std::uint64_t length = file_.source().length();
  return {file_.source(), file_.header().segment_id, place_.position,
          is_closed() ? std::min(closed_end_, length) : length, place_.last_commit};
}

std::unexpected<Error> CountedGroups::failed(const Error& error) const {
  return std::unexpected(error.with_path(file_.path()));
}

Result<std::optional<log::FoundGroup>> CountedGroups::next() {
  while (!are_all_found_ && (found_.empty() || !is_durable(found_.front()))) {
    if (auto found = find(); !found) return std::unexpected(std::move(found.error()));
  }
  if (found_.empty()) return std::nullopt;
  const log::FoundGroup group = found_.front();
  if (!is_durable(group)) {
    const auto whole = file_.is_whole(group);
    if (!whole) return std::unexpected(whole.error());
    if (!*whole) {
      found_.clear();
      return std::nullopt;
    }
  }
  found_.pop_front();
  place_ = {group.end, group.commit};
  return group;
}

/// One group more, or what stands where they end.
Result<void> CountedGroups::find() {
  const auto group = groups_->next();
  if (!group) return failed(group.error());
  if (!group->has_value()) return is_closed() ? judge_closed() : judge_last();
  if ((*group)->is_closed) {
    if (is_closed()) return {};
    mark_ = **group;
    durable_ = mark_->begin;
    return judge_last();
  }
  found_.push_back(**group);
  durable_ = std::max(durable_, (*group)->synced_end);
  return {};
}

Result<void> CountedGroups::judge_closed() {
  are_all_found_ = true;
  const std::uint64_t length = file_.source().length();
  if (length < closed_end_) {
    lost_ = Error(ErrorCode::corrupt).with_path(file_.path()).with_offset(length).with_note("the segment is cut off");
  } else if (groups_->damage()) {
    lost_ = groups_->damage()->with_path(file_.path());
  }
  return {};
}

Result<void> CountedGroups::judge_last() {
  are_all_found_ = true;
  const std::optional<Error>& damage = groups_->damage();
  if (!mark_ && !damage) return {};  // the file ends with a group
  const std::uint64_t at = mark_ ? mark_->begin : *damage->offset();
  const auto lost = is_known_lost(at);
  if (!lost) return std::unexpected(lost.error());
  if (!*lost) return {};
  if (seemed_lost_ == at) {
    durable_ = at;
    const Error mark = Error(ErrorCode::corrupt).with_offset(at).with_note("a mark instead of the group behind it");
    lost_ = (mark_ ? mark : *damage).with_path(file_.path());
    return {};
  }
  seemed_lost_ = at;
  are_all_found_ = false;
  mark_.reset();
  found_.clear();
  groups_.emplace(reader_from_place());
  return {};
}

/// Whether something behind the place where the groups end knows it to have been durable.
Result<bool> CountedGroups::is_known_lost(std::uint64_t at) {
  if (search_ == Search::unless_blank) {
    const auto blank = is_blank_at(mark_ ? mark_->end : at);
    if (!blank) return blank;
    if (*blank) return false;
  }
  const auto used = file_.used_end(place_.position);
  if (!used) return std::unexpected(used.error());
  used_end_ = *used;
  // A commit record that knows anything to be durable does not end with a zero.
  const auto known = log::is_known_durable(file_.source(), file_.header().segment_id, at, used_end_);
  if (!known) return failed(known.error());
  return known;
}

/// Whether a record's place is as it was allocated.
Result<bool> CountedGroups::is_blank_at(std::uint64_t at) const {
  std::array<std::byte, sizeof(log::RecordHeader)> head{};
  const auto held = std::span(head).first(std::min<std::uint64_t>(head.size(), file_.source().length() - at));
  if (auto copied = file_.source().copy(at, held); !copied) return failed(copied.error());
  return std::ranges::all_of(head, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace packfs::store
