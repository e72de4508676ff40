#include "store/check.h"

#include <fcntl.h>

#include <algorithm>
#include <deque>
#include <new>
#include <optional>
#include <utility>

#include "base/system_io.h"
#include "log/record_content.h"
#include "pack/verify_report.h"
#include "store/directory.h"
#include "store/leftovers.h"
#include "store/segment_file.h"
#include "store/store.h"

namespace packfs::store {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

class Check {
 public:
  Check(base::Io& io, const Directory& directory, const std::function<bool(std::uint64_t, std::uint64_t)>& progress,
        std::uint64_t total)
      : io_(io), directory_(directory), log_(progress, total) {}

  Result<StoreReport> run(const Manifest& manifest) {
    check_names(manifest);
    for (const SegmentEntry& entry : manifest.segments) {
      if (!log_.failed()) check_segment(entry);
    }
    if (!log_.failed() && is_readable_) replay();
    auto verified = std::move(log_).finish();
    if (!verified) return std::unexpected(std::move(verified.error()));
    static_cast<VerifyReport&>(report_) = std::move(*verified);
    return std::move(report_);
  }

 private:
  void structural(Error error) {
    is_readable_ = false;
    log_.damage(std::move(error));
  }

  /// Whether there are segments that the manifest should name.
  void check_names(const Manifest& manifest) {
    const auto left = leftovers_of(directory_, manifest);
    if (left || left.error().code() == ErrorCode::no_entry) return;
    // Not if its writer has just made another.
    const auto now = directory_.manifest();
    if (now && *now && (*now)->generation != manifest.generation) return;
    log_.damage(left.error());
  }

  void check_segment(const SegmentEntry& entry) {
    ++report_.segments;
    const auto file = SegmentFile::open(directory_, entry.id);
    if (!file) return structural(file.error());
    if ((*file)->source().length() < entry.end) {
      structural(Error(ErrorCode::corrupt)
                     .with_path((*file)->path())
                     .with_offset((*file)->source().length())
                     .with_note("cut off"));
    }
    const std::uint64_t end = entry.end != 0 ? std::min(entry.end, (*file)->source().length()) : 0;
    const Place place = check_groups(**file, {sizeof(log::FileHeader), entry.base_commit}, end);
    if (entry.end == 0 && !log_.failed()) check_end(**file, place);
  }

  struct Place {
    std::uint64_t position = 0;
    std::uint64_t last_commit = 0;
    std::uint64_t mark_end = 0;  // of the mark at the position; 0: there is none
  };

  /// All groups up to `end`, 0: as far as they count. Where that was.
  Place check_groups(const SegmentFile& file, Place place, std::uint64_t end) {
    const bool is_closed = end != 0;
    log::GroupReader groups(file.source(), file.header().segment_id, place.position,
                            is_closed ? end : file.source().length(), place.last_commit);
    std::deque<log::FoundGroup> tail;  // not known to be durable
    while (!log_.failed()) {
      const auto group = groups.next();
      if (!group) {
        structural(group.error().with_path(file.path()));
        return place;
      }
      if (!group->has_value()) break;
      if (!(*group)->is_closed) tail.push_back(**group);
      for (; !tail.empty() && (is_closed || tail.front().end <= (*group)->synced_end); tail.pop_front()) {
        accept(file, tail.front(), place);
      }
      if ((*group)->is_closed) {
        place.mark_end = (*group)->end;
        break;
      }
    }
    for (; !tail.empty() && !log_.failed(); tail.pop_front()) {
      const auto whole = file.is_whole(tail.front());
      if (!whole) log_.damage(whole.error());
      if (!whole || !*whole) break;
      accept(file, tail.front(), place);
    }
    if (is_closed && groups.damage()) structural(groups.damage()->with_path(file.path()));
    return place;
  }

  void accept(const SegmentFile& file, const log::FoundGroup& group, Place& place) {
    check_contents(file, group);
    place = {group.end, group.commit};
    ++report_.commits;
    report_.last_commit = group.commit;
  }

  void check_contents(const SegmentFile& file, const log::FoundGroup& group) {
    log::Scanner scanner(file.source(), file.header().segment_id, group.begin, group.commit_record);
    while (!log_.failed()) {
      const auto scanned = scanner.next();
      if (!scanned) return structural(scanned.error().with_path(file.path()));
      if (!scanned->has_value()) break;
      const auto whole = log::verify_content(file.source(), file.reader(), **scanned);
      if (!whole) {
        const std::string note = "the content of " + std::string((*scanned)->record.name);
        log_.damage(whole.error().with_path(file.path()).with_note(note));
      }
      ++log_.report().records_checked;
      log_.advance((*scanned)->extent.next - (*scanned)->offset);
    }
    log_.advance(group.end - group.commit_record);
  }

  /// What stands where the groups of the last segment end.
  void check_end(const SegmentFile& file, Place place) {
    const content::Source& source = file.source();
    const auto known = log::is_known_durable(source, file.header().segment_id, place.position, source.length());
    if (!known) return log_.damage(known.error().with_path(file.path()));
    if (*known) {
      // The writer may have gone on meanwhile. But what it knew then is there now.
      const std::uint64_t before = place.position;
      place = check_groups(file, place, 0);
      if (place.position == before) {
        log::GroupReader again(source, file.header().segment_id, before, source.length(), place.last_commit);
        const auto none = again.next();
        if (!none) return structural(none.error().with_path(file.path()));
        structural(again.damage().value_or(Error(ErrorCode::corrupt).with_offset(before)).with_path(file.path()));
      }
    }
    const std::uint64_t end = std::max(place.position, place.mark_end);
    report_.unfinished_bytes = used_end(file, end) - end;
  }

  /// Behind the last byte that is not zero, at least `begin`.
  std::uint64_t used_end(const SegmentFile& file, std::uint64_t begin) {
    base::Buffer scratch;
    std::uint64_t used = begin;
    const std::uint64_t end = file.source().length();
    for (std::uint64_t at = begin; at < end; at += kPiece) {
      const auto bytes = file.source().at(at, std::min<std::uint64_t>(kPiece, end - at), scratch);
      if (!bytes) {
        log_.damage(bytes.error().with_path(file.path()));
        break;
      }
      const auto last = std::find_if(bytes->rbegin(), bytes->rend(), [](std::byte b) { return b != std::byte{0}; });
      if (last != bytes->rend()) used = at + static_cast<std::uint64_t>(bytes->rend() - last);
    }
    return used;
  }

  /// Whether all of it can be done.
  void replay() {
    StoreOptions options;
    options.read_only = true;
    const auto volume = open(io_, directory_.path(), options);
    if (!volume) return log_.damage(volume.error());
    const auto totals = volume->totals();
    if (!totals) return log_.damage(totals.error());
    log_.report().entries_checked = totals->entries;
  }

  base::Io& io_;
  const Directory& directory_;
  pack::VerifyLog log_;
  StoreReport report_;
  bool is_readable_ = true;
};

Result<std::uint64_t> bytes_in(const Directory& directory, const Manifest& manifest) {
  std::uint64_t total = 0;
  for (const SegmentEntry& entry : manifest.segments) {
    struct statx status{};
    const std::string name = segment_name(entry.id);
    if (directory.io().statx(directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status) < 0) continue;
    total += entry.end != 0 ? std::min<std::uint64_t>(entry.end, status.stx_size) : status.stx_size;
  }
  return total;
}

/// Damaged as a whole: there is nothing to go by.
StoreReport report_of(const Error& error) {
  StoreReport report;
  report.damage.push_back(error);
  report.damages = 1;
  return report;
}

}  // namespace

Result<StoreReport> check(base::Io& io, const std::string& directory,
                          const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  try {
    const auto opened = Directory::open(io, directory);
    if (!opened) return std::unexpected(opened.error());
    const auto manifest = opened->manifest();
    if (!manifest && manifest.error().code() == ErrorCode::corrupt) return report_of(manifest.error());
    if (!manifest) return std::unexpected(manifest.error());
    if (!*manifest) {
      const auto names = opened->names();
      if (!names) return std::unexpected(names.error());
      const bool was_one =
          std::ranges::any_of(*names, [](const std::string& name) { return segment_id_of(name).has_value(); });
      const Error missing = opened->at(Error(ErrorCode::no_entry), kCurrent);
      if (was_one) return report_of(missing);
      return std::unexpected(missing);
    }
    const auto total = bytes_in(*opened, **manifest);
    if (!total) return std::unexpected(total.error());
    return Check(io, *opened, progress, *total).run(**manifest);
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace packfs::store

namespace packfs {

Result<StoreReport> check_store(const std::string& directory,
                                const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  return store::check(base::system_io(), directory, progress);
}

}  // namespace packfs
