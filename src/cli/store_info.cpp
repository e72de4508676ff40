#include "cli/store_info.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "cli/open_tree.h"
#include "store/directory.h"

namespace packfs::cli {

Result<StoreInfo> read_store_info(const std::string& path, Context& context) {
  const auto store = open_store_to_read(path, context);
  if (!store) return std::unexpected(store.error());
  const Snapshot snapshot = store->snapshot();
  const auto totals = snapshot.totals();
  if (!totals) return std::unexpected(totals.error().with_path(path));
  const auto found = find_store(path, context);
  if (!found) return std::unexpected(found.error());
  const store::Manifest& manifest = found->manifest;
  StoreInfo info{.store_id = manifest.store_id,
                 .created = manifest.created,
                 .segments = manifest.segments.size(),
                 .last_commit = snapshot.commit(),
                 .totals = *totals};
  for (const store::SegmentEntry& segment : manifest.segments) {
    const std::string name = store::segment_name(segment.id);
    struct statx status{};
    const int known = context.io.statx(found->directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status);
    if (known < 0) return std::unexpected(found->directory.at(Error::from_errno(-known), name));
    info.journal_bytes += status.stx_size;
  }
  return info;
}

}  // namespace packfs::cli
