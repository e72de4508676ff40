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
  const auto directory = store::Directory::open(context.io, path);
  if (!directory) return std::unexpected(directory.error());
  const auto manifest = directory->manifest();
  if (!manifest) return std::unexpected(manifest.error());
  if (!*manifest) return std::unexpected(directory->at(Error(ErrorCode::no_entry), store::kCurrent));
  StoreInfo info{.store_id = (*manifest)->store_id,
                 .created = (*manifest)->created,
                 .segments = (*manifest)->segments.size(),
                 .last_commit = snapshot.commit(),
                 .totals = *totals};
  for (const store::SegmentEntry& segment : (*manifest)->segments) {
    const std::string name = store::segment_name(segment.id);
    struct statx status{};
    const int known = context.io.statx(directory->get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status);
    if (known < 0) return std::unexpected(directory->at(Error::from_errno(-known), name));
    info.journal_bytes += status.stx_size;
  }
  return info;
}

}  // namespace packfs::cli
