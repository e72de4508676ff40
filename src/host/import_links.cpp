#include "host/import_links.h"

namespace packfs::host {

std::size_t ImportLinks::KeyHash::operator()(const Key& key) const noexcept {
  // Inode numbers are near one another: an odd multiplier spreads them over the table.
  return static_cast<std::size_t>((key.identity.inode ^ (key.identity.device << 40)) * 0x9E3779B97F4A7C15U);
}

ImportLinks::Key ImportLinks::key_of(const struct statx& status) noexcept {
  Key key{.identity = identity_of(status), .birth_seconds = 0, .birth_nanoseconds = 0};
  if ((status.stx_mask & STATX_BTIME) != 0) {
    key.birth_seconds = status.stx_btime.tv_sec;
    key.birth_nanoseconds = status.stx_btime.tv_nsec;
  }
  return key;
}

std::optional<ImportLinks::Found> ImportLinks::find(const struct statx& status) const {
  const auto at = known_.find(key_of(status));
  if (at == known_.end()) return std::nullopt;
  const Known& known = at->second;
  // Not ctime: making and removing names changes it, too.
  const bool same = known.size == status.stx_size && known.mtime_seconds == status.stx_mtime.tv_sec &&
                    known.mtime_nanoseconds == status.stx_mtime.tv_nsec && known.mode == status.stx_mode &&
                    known.uid == status.stx_uid && known.gid == status.stx_gid;
  return Found{.entry = known.entry, .changed = !same};
}

void ImportLinks::add(const struct statx& status, tree::Sink::EntryId entry) {
  if (status.stx_nlink < 2) return;
  known_.insert_or_assign(key_of(status), Known{.entry = entry,
                                                .size = status.stx_size,
                                                .mtime_seconds = status.stx_mtime.tv_sec,
                                                .mtime_nanoseconds = status.stx_mtime.tv_nsec,
                                                .mode = status.stx_mode,
                                                .uid = status.stx_uid,
                                                .gid = status.stx_gid});
}

}  // namespace packfs::host
