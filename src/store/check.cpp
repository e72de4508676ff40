#include "store/check.h"

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/system_io.h"
#include "log/record_content.h"
#include "pack/verify_report.h"
#include "store/counted_groups.h"
#include "store/directory.h"
#include "store/leftovers.h"
#include "store/segment_file.h"
#include "store/store.h"

namespace packfs::store {
namespace {

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
    CountedGroups groups(**file, entry.end, {sizeof(log::FileHeader), entry.base_commit});
    while (!log_.failed()) {
      const auto group = groups.next();
      if (!group) return structural(group.error());
      if (!group->has_value()) break;
      check_contents(**file, **group);
      ++report_.commits;
      report_.last_commit = (*group)->commit;
    }
    if (log_.failed()) return;
    if (groups.lost()) structural(*groups.lost());
    if (entry.end == 0) report_.unfinished_bytes = groups.unfinished_bytes();
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
