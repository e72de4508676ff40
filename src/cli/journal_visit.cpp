#include "cli/journal_visit.h"

#include "store/counted_groups.h"

namespace packfs::cli {

namespace {

void visit_group(const store::SegmentFile& file, const log::FoundGroup& group, JournalVisitor& visitor) {
  log::Scanner scanner(file.source(), file.header().segment_id, group.begin, group.commit_record);
  while (!visitor.stopped()) {
    const auto scanned = scanner.next();
    if (!scanned) return visitor.damage(scanned.error().with_path(file.path()));
    if (!scanned->has_value()) break;
    visitor.record(file, **scanned);
  }
  visitor.group(file, group);
}

void visit_segment(const store::SegmentFile& file, const store::SegmentEntry& entry, JournalVisitor& visitor) {
  store::CountedGroups groups(file, entry.end, {.last_commit = entry.base_commit});
  while (!visitor.stopped()) {
    const auto group = groups.next();
    if (!group) return visitor.damage(group.error());
    if (!group->has_value()) break;
    visit_group(file, **group, visitor);
  }
  if (visitor.stopped()) return;
  if (groups.mark()) visitor.group(file, *groups.mark());
  if (groups.lost()) visitor.damage(*groups.lost());
}

}  // namespace

void visit_journal(const store::Directory& directory, const store::Manifest& manifest, JournalVisitor& visitor) {
  for (const store::SegmentEntry& entry : manifest.segments) {
    if (visitor.stopped()) return;
    const auto file = store::SegmentFile::open(directory, entry.id);
    if (!file) {
      visitor.damage(file.error());
      continue;
    }
    visit_segment(**file, entry, visitor);
  }
}

}  // namespace packfs::cli
