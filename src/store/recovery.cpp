#include "store/recovery.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "content/corruption.h"
#include "log/group.h"

namespace packfs::store {
namespace {

constexpr std::size_t kCopiedBytes = std::size_t{1} << 20;

std::unexpected<Error> in_file(const SegmentFile& file, const Error& error) {
  return std::unexpected(error.with_path(file.path()));
}

}  // namespace

Result<JournalEnd> Recovery::run() {
  for (std::size_t i = 0; i + 1 < manifest_.segments.size(); ++i) {
    if (auto replayed = replay_closed(manifest_.segments[i]); !replayed) {
      return std::unexpected(std::move(replayed.error()));
    }
  }
  // A copy: carrying the tail forward changes the manifest.
  const SegmentEntry last = manifest_.segments.back();
  auto end = replay_last(last);
  if (!end) return end;
  if (auto finished = replayer_.finish(last_commit_); !finished) return std::unexpected(std::move(finished.error()));
  return end;
}

Result<void> Recovery::replay_closed(const SegmentEntry& entry) {
  const auto file = SegmentFile::open(directory_, entry.id);
  if (!file) return std::unexpected(file.error());
  const auto last = replayer_.apply_closed(**file, sizeof(log::FileHeader), entry.end, entry.base_commit);
  if (!last) return std::unexpected(last.error());
  last_commit_ = *last;
  return {};
}

Result<JournalEnd> Recovery::replay_last(const SegmentEntry& entry) {
  const auto opened = SegmentFile::open(directory_, entry.id);
  if (!opened) return std::unexpected(opened.error());
  const SegmentFile& file = **opened;
  last_commit_ = std::max(last_commit_, entry.base_commit);
  CountedGroups groups(file, 0, {sizeof(log::FileHeader), entry.base_commit});
  for (;;) {
    const auto group = groups.next();
    if (!group) return std::unexpected(group.error());
    if (!group->has_value()) break;
    if (!groups.is_durable(**group)) {
      tail_.push_back(**group);
      continue;
    }
    if (auto replayed = replayer_.apply(file, **group); !replayed) return in_file(file, replayed.error());
    last_commit_ = (*group)->commit;
  }
  if (groups.lost()) return std::unexpected(*groups.lost());
  return behind(file, groups);
}

/// They take room that the tail's copy may need.
Result<void> Recovery::remove_leftovers() const {
  for (const std::string& name : leftovers_) {
    if (auto removed = directory_.remove(name); !removed) return removed;
  }
  return {};
}

/// Where the journal goes on: all groups were read, those that are durable done.
Result<JournalEnd> Recovery::behind(const SegmentFile& file, const CountedGroups& groups) {
  if (auto removed = remove_leftovers(); !removed) return std::unexpected(std::move(removed.error()));
  const std::uint64_t cut = tail_.empty() ? groups.place().position : tail_.front().begin;
  const bool goes_on_here = tail_.empty() && groups.unfinished_bytes() == 0;
  if (goes_on_here) return go_on(file, groups.mark().value_or(log::FoundGroup{.begin = cut, .commit = last_commit_}));
  // A writer may have gone on in the mark's place and lost its first group: those behind have numbers that are given
  // again.
  if (groups.mark()) last_commit_ = groups.mark()->commit;
  return carry_forward(file, cut);
}

/// In the same segment, in the place of its mark, or of nothing.
Result<JournalEnd> Recovery::go_on(const SegmentFile& file, const log::FoundGroup& mark) const {
  const std::uint64_t id = file.header().segment_id;
  auto fd = directory_.open_file(segment_name(id), O_RDWR);
  if (!fd) return std::unexpected(std::move(fd.error()));
  auto writer = std::make_shared<log::SegmentWriter>(directory_.io(), std::move(*fd), id, file.source().length());
  return JournalEnd{std::move(writer), mark.begin, mark.commit, mark.is_closed};
}

Result<JournalEnd> Recovery::carry_forward(const SegmentFile& file, std::uint64_t cut) {
  const std::uint64_t base_commit = last_commit_;
  auto writer = make_segment(directory_, file.header().segment_id, cut, base_commit);
  if (!writer) return std::unexpected(std::move(writer.error()));
  const std::string name = segment_name((*writer)->segment_id());
  const auto end = copy_groups(file, **writer);
  if (!end) {
    static_cast<void>(directory_.remove(name));
    return std::unexpected(end.error());
  }
  // Before the manifest names it: what cannot be done again changes nothing.
  if (auto replayed = replay_copied((*writer)->segment_id(), *end, file); !replayed) {
    static_cast<void>(directory_.remove(name));
    return std::unexpected(std::move(replayed.error()));
  }
  if (auto adopted = adopt_segment(directory_, manifest_, **writer, cut, base_commit); !adopted) {
    return std::unexpected(std::move(adopted.error()));
  }
  return JournalEnd{std::shared_ptr<log::SegmentWriter>(std::move(*writer)), *end, last_commit_ + 1, true};
}

/// Does the tail's operations from their copies, where their contents will be read. Errors name the place in `origin`.
Result<void> Recovery::replay_copied(std::uint64_t segment_id, std::uint64_t end, const SegmentFile& origin) {
  const auto opened = SegmentFile::open(directory_, segment_id);
  if (!opened) return std::unexpected(opened.error());
  CountedGroups groups(**opened, end, {sizeof(log::FileHeader), last_commit_});
  for (const log::FoundGroup& original : tail_) {
    const auto copied = groups.next();
    if (!copied) return std::unexpected(copied.error());
    if (!copied->has_value()) {
      return in_file(origin, content::corrupt_at(original.begin, "a group whose copy cannot be read").error());
    }
    if (auto replayed = replayer_.apply(**opened, **copied); !replayed) {
      return in_file(origin, replayed.error().with_offset(original.begin));
    }
    last_commit_ = original.commit;
  }
  return {};
}

/// Writes the tail into a new segment, and behind it the mark that all of it is durable, which it is before the
/// manifest names the segment. Returns where the mark stands.
Result<std::uint64_t> Recovery::copy_groups(const SegmentFile& file, log::SegmentWriter& writer) const {
  log::Group group;
  std::uint64_t end = sizeof(log::FileHeader);
  const auto flush = [&]() -> Result<void> {
    auto written = writer.write(group.offset(), group.bytes());
    if (!written) return std::unexpected(directory_.at(written.error(), segment_name(writer.segment_id())));
    group.flushed();
    return written;
  };
  std::uint64_t commit = last_commit_;
  base::Buffer scratch;
  for (const log::FoundGroup& found : tail_) {
    group.begin(writer.segment_id(), end);
    log::Scanner scanner(file.source(), file.header().segment_id, found.begin, found.commit_record);
    for (;;) {
      const auto scanned = scanner.next();
      if (!scanned) return in_file(file, scanned.error());
      if (!scanned->has_value()) break;
      const log::Record& record = (*scanned)->record;
      const auto content = file.source().at((*scanned)->extent.content_begin, record.content_length, scratch);
      if (!content) return in_file(file, content.error());
      if (auto copied = group.copy(record, *content); !copied) return in_file(file, copied.error());
      if (group.bytes().size() < kCopiedBytes) continue;
      if (auto written = flush(); !written) return std::unexpected(std::move(written.error()));
    }
    commit = found.commit;
    if (auto closed = group.close(commit, sizeof(log::FileHeader)); !closed) return in_file(file, closed.error());
    if (auto written = flush(); !written) return std::unexpected(std::move(written.error()));
    end = group.end();
  }
  group.begin(writer.segment_id(), end);
  if (auto marked = group.mark_closed(commit + 1); !marked) return in_file(file, marked.error());
  if (auto written = flush(); !written) return std::unexpected(std::move(written.error()));
  return end;
}

}  // namespace packfs::store
