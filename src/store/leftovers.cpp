#include "store/leftovers.h"

#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "content/source.h"
#include "log/group_reader.h"
#include "store/segment_file.h"

namespace packfs::store {
namespace {

/// What a file with a segment's name holds, whatever its header is like.
struct Held {
  bool anything = false;          ///< a group, or the remains of several
  std::uint64_t last_commit = 0;  ///< of its groups, 0 when there are none
  bool was_written_to = false;    ///< since it belonged to a store: a group knows another one to be durable
  bool is_file = true;            ///< a regular one
};

Result<Held> look_into(const Directory& directory, std::uint64_t id) {
  const std::string name = segment_name(id);
  const auto failed = [&](const Error& error) { return std::unexpected(directory.at(error, name)); };
  struct statx status{};
  const int known =
      directory.io().statx(directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE | STATX_TYPE, &status);
  if (known < 0) return failed(Error::from_errno(-known));
  // Not even opened: of a device, or a socket, that alone does something or fails.
  if (!S_ISREG(status.stx_mode)) return Held{.anything = true, .is_file = false};
  auto fd = directory.open_file(name, O_RDONLY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  if (status.stx_size <= sizeof(log::FileHeader)) return Held{};
  const auto source = content::Source::open(directory.io(), std::move(*fd), status.stx_size, true);
  if (!source) return failed(source.error());
  log::GroupReader groups(**source, id, sizeof(log::FileHeader), status.stx_size, 0);
  Held held;
  for (;;) {
    const auto group = groups.next();
    // Another version's, perhaps.
    if (!group && group.error().code() == ErrorCode::unsupported_version) return Held{.anything = true};
    if (!group) return failed(group.error());
    if (!group->has_value()) break;
    held.anything = true;
    if ((*group)->is_closed) break;
    held.last_commit = (*group)->commit;
    held.was_written_to |= (*group)->synced_end > sizeof(log::FileHeader);
  }
  if (!held.anything) {
    const auto remains = log::is_known_durable(**source, id, sizeof(log::FileHeader), status.stx_size);
    if (!remains) return failed(remains.error());
    held.anything = *remains;
  }
  return held;
}

/// Whether a segment that the manifest does not name is to be removed.
Result<bool> was_never_adopted(const Directory& directory, const Manifest& manifest, std::uint64_t id) {
  const auto held = look_into(directory, id);
  if (!held) return std::unexpected(held.error());
  if (!held->anything) return true;
  if (!held->is_file) return false;
  const auto file = SegmentFile::open(directory, id);
  if (!file) return false;
  const auto previous = std::ranges::find(manifest.segments, (*file)->header().previous_segment, &SegmentEntry::id);
  if (previous == manifest.segments.end()) return false;
  const SegmentEntry& last = manifest.segments.back();
  const auto in_last = look_into(directory, last.id);
  if (!in_last) return std::unexpected(in_last.error());
  if (held->last_commit <= std::max(in_last->last_commit, last.base_commit)) return true;
  // A crash of the recovery that wrote it, and what it copied was lost since; or it was in use.
  if (!held->was_written_to) return false;
  return std::unexpected(
      Error(ErrorCode::corrupt).with_path((*file)->path()).with_note("holds later commits than CURRENT knows of"));
}

}  // namespace

Result<std::vector<std::string>> leftovers_of_creation(const Directory& directory) {
  auto names = directory.names();
  if (!names) return names;
  for (const std::string& name : *names) {
    const auto id = segment_id_of(name);
    bool may_be = name == kLock || name == kNextCurrent;
    if (id) {
      const auto held = look_into(directory, *id);
      if (!held) return std::unexpected(held.error());
      may_be = !held->anything;
    }
    if (may_be) continue;
    return std::unexpected(directory.at(
        Error(ErrorCode::corrupt).with_note("there is no CURRENT here, but this, which no new store has"), name));
  }
  std::erase(*names, kLock);
  return names;
}

Result<std::vector<std::string>> leftovers_of(const Directory& directory, const Manifest& manifest) {
  const auto names = directory.names();
  if (!names) return names;
  std::vector<std::string> left;
  for (const std::string& name : *names) {
    const auto id = segment_id_of(name);
    if (id && std::ranges::find(manifest.segments, *id, &SegmentEntry::id) == manifest.segments.end()) {
      const auto is_left = was_never_adopted(directory, manifest, *id);
      if (!is_left) return std::unexpected(is_left.error());
      if (*is_left) left.push_back(name);
    } else if (name == kNextCurrent) {
      left.push_back(name);
    }
  }
  return left;
}

}  // namespace packfs::store
