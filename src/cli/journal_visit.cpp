#include "cli/journal_visit.h"

#include <algorithm>
#include <deque>

#include "log/file_header.h"

namespace packfs::cli {

namespace {

/// One segment of a journal.
class SegmentVisit {
 public:
  SegmentVisit(const store::SegmentFile& file, const store::SegmentEntry& entry, JournalVisitor& visitor) noexcept
      : file_(file),
        closed_end_(std::min(entry.end, file.source().length())),
        last_commit_(entry.base_commit),
        visitor_(visitor) {}

  void run() {
    visit_groups();
    if (closed_end_ == 0 && !visitor_.stopped()) visit_end();
  }

 private:
  /// All groups from the position on that count.
  void visit_groups() {
    const bool is_closed = closed_end_ != 0;
    log::GroupReader groups(file_.source(), file_.header().segment_id, position_,
                            is_closed ? closed_end_ : file_.source().length(), last_commit_);
    std::deque<log::FoundGroup> tail;  // not known to be durable
    while (!visitor_.stopped()) {
      const auto group = groups.next();
      if (!group) return damage(group.error());
      if (!group->has_value()) break;
      tail.push_back(**group);
      while (!tail.empty() && (is_closed || tail.front().end <= (*group)->synced_end)) visit_first(tail);
      // The next writer goes on in the place of a mark.
      if ((*group)->is_closed) break;
    }
    while (!tail.empty() && !visitor_.stopped()) {
      const auto whole = file_.is_whole(tail.front());
      if (!whole) return damage(whole.error());
      if (!*whole) return;
      visit_first(tail);
    }
    if (is_closed && groups.damage()) damage(*groups.damage());
  }

  void visit_first(std::deque<log::FoundGroup>& tail) {
    const log::FoundGroup group = tail.front();
    tail.pop_front();
    log::Scanner scanner(file_.source(), file_.header().segment_id, group.begin, group.commit_record);
    while (!visitor_.stopped()) {
      const auto scanned = scanner.next();
      if (!scanned) return damage(scanned.error());
      if (!scanned->has_value()) break;
      visitor_.record(file_, **scanned);
    }
    visitor_.group(file_, group);
    if (group.is_closed) return;  // something else may stand there by now
    position_ = group.end;
    last_commit_ = group.commit;
  }

  /// What stands where the groups of the last segment end.
  void visit_end() {
    const content::Source& source = file_.source();
    const std::uint64_t id = file_.header().segment_id;
    const auto known = log::is_known_durable(source, id, position_, source.length());
    if (!known) return damage(known.error());
    if (!*known) return;
    // The writer may have gone on meanwhile. But what it knew then is there now.
    const std::uint64_t before = position_;
    visit_groups();
    if (position_ != before || visitor_.stopped()) return;
    log::GroupReader again(source, id, before, source.length(), last_commit_);
    const auto none = again.next();
    if (!none) return damage(none.error());
    damage(again.damage().value_or(Error(ErrorCode::corrupt).with_offset(before)));
  }

  void damage(const Error& error) { visitor_.damage(error.with_path(file_.path())); }

  const store::SegmentFile& file_;
  std::uint64_t closed_end_;  // 0: it is the last one
  std::uint64_t position_ = sizeof(log::FileHeader);
  std::uint64_t last_commit_;
  JournalVisitor& visitor_;
};

}  // namespace

void visit_journal(const store::Directory& directory, const store::Manifest& manifest, JournalVisitor& visitor) {
  for (const store::SegmentEntry& entry : manifest.segments) {
    if (visitor.stopped()) return;
    const auto file = store::SegmentFile::open(directory, entry.id);
    if (!file) {
      visitor.damage(file.error());
      continue;
    }
    SegmentVisit(**file, entry, visitor).run();
    const std::uint64_t length = (*file)->source().length();
    if (length < entry.end) {
      visitor.damage(
          Error(ErrorCode::corrupt).with_path((*file)->path()).with_offset(length).with_note("the segment is cut off"));
    }
  }
}

}  // namespace packfs::cli
