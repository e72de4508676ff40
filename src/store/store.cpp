#include "store/store.h"

#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/io_loops.h"
#include "store/directory.h"
#include "store/follower.h"
#include "store/journal.h"
#include "store/recovery.h"
#include "store/replayer.h"
#include "volume/core.h"

namespace packfs::store {
namespace {

/// Whether a segment that no manifest names holds a group: then it was part of a store.
Result<bool> holds_group(const Directory& directory, std::uint64_t id) {
  const auto file = SegmentFile::open(directory, id);
  if (!file) {
    // No header, no group: what a creation that was cut off leaves.
    if (file.error().code() == ErrorCode::corrupt) return false;
    return std::unexpected(file.error());
  }
  log::GroupReader groups((*file)->source(), id, sizeof(log::FileHeader), (*file)->source().length(), 0);
  const auto group = groups.next();
  if (!group) return std::unexpected(group.error().with_path((*file)->path()));
  return group->has_value();
}

/// The names that a creation that was cut off left. Errors: corrupt (anything else is there).
Result<std::vector<std::string>> leftovers(const Directory& directory) {
  auto names = directory.names();
  if (!names) return names;
  for (const std::string& name : *names) {
    const auto id = segment_id_of(name);
    bool may_be = name == kLock || name == kNextCurrent;
    if (id) {
      const auto holds = holds_group(directory, *id);
      if (!holds) return std::unexpected(holds.error());
      may_be = !*holds;
    }
    if (may_be) continue;
    return std::unexpected(directory.at(
        Error(ErrorCode::corrupt).with_note("there is no CURRENT here, but this, which no new store has"), name));
  }
  std::erase(*names, kLock);
  return names;
}

Result<Manifest> create(const Directory& directory, const tree::Stamp& stamp) {
  const auto old = leftovers(directory);
  if (!old) return std::unexpected(old.error());
  for (const std::string& name : *old) {
    if (auto removed = directory.remove(name); !removed) return std::unexpected(std::move(removed.error()));
  }
  // Whoever made it, perhaps a process that was killed then.
  if (auto synced = directory.sync_above(); !synced) return std::unexpected(std::move(synced.error()));
  Manifest manifest{.created = stamp.now, .uid = stamp.uid, .gid = stamp.gid};
  if (const auto got = base::checked(directory.io().getrandom(&manifest.store_id, sizeof manifest.store_id)); !got) {
    return std::unexpected(got.error());
  }
  auto segment = make_segment(directory, 0, 0, 0);
  if (!segment) return std::unexpected(std::move(segment.error()));
  if (auto adopted = adopt_segment(directory, manifest, **segment, 0, 0); !adopted) {
    return std::unexpected(std::move(adopted.error()));
  }
  return manifest;
}

/// Whether a segment that the manifest does not name was to follow one that it names, or never got its header: a
/// crash came before it was adopted.
bool was_never_adopted(const Directory& directory, const Manifest& manifest, std::uint64_t id) {
  const auto file = SegmentFile::open(directory, id);
  if (!file) return false;
  return std::ranges::any_of(
      manifest.segments, [&](const SegmentEntry& segment) { return segment.id == (*file)->header().previous_segment; });
}

/// Removes what an earlier process did not come to use.
Result<void> clean(const Directory& directory, const Manifest& manifest) {
  const auto names = directory.names();
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto id = segment_id_of(name);
    const bool is_named =
        id && std::ranges::any_of(manifest.segments, [&](const SegmentEntry& segment) { return segment.id == *id; });
    const bool is_orphan = id && !is_named && was_never_adopted(directory, manifest, *id);
    if (!is_orphan && name != kNextCurrent) continue;
    if (auto removed = directory.remove(name); !removed) return removed;
  }
  return {};
}

Result<std::shared_ptr<volume::Core>> recovered(Directory directory, base::unique_fd lock, Manifest manifest,
                                                const StoreOptions& options) {
  auto core = volume::Core::make({}, options, {0, manifest.created, manifest.uid, manifest.gid});
  if (!core) return core;
  JournalEnd end;
  {
    Replayer replayer(**core);
    auto found = Recovery(directory, manifest, replayer).run();
    if (!found) return std::unexpected(std::move(found.error()));
    end = std::move(*found);
  }
  (*core)->set_last_commit(end.last_commit);
  (*core)->attach(std::make_unique<Journal>(std::move(directory), std::move(lock), std::move(manifest), std::move(end),
                                            options.segment_bytes));
  return core;
}

/// Without a lock: nothing is changed.
Result<std::shared_ptr<volume::Core>> followed(base::Io& io, std::string_view path, const StoreOptions& options) {
  auto directory = Directory::open(io, path);
  if (!directory) return std::unexpected(std::move(directory.error()));
  auto core = volume::Core::make({}, options, {});
  if (!core) return core;
  (*core)->attach(std::make_unique<Follower>(std::move(*directory), **core));
  if (auto found = (*core)->refresh(); !found) return std::unexpected(std::move(found.error()));
  return core;
}

Result<std::shared_ptr<volume::Core>> opened(base::Io& io, std::string_view path, const StoreOptions& options) {
  auto directory = options.create ? Directory::make(io, path) : Directory::open(io, path);
  if (!directory) return std::unexpected(std::move(directory.error()));
  auto manifest = directory->manifest();
  if (!manifest) return std::unexpected(std::move(manifest.error()));
  if (!*manifest) {
    // Before anything is changed: is this a place for a store?
    if (auto old = leftovers(*directory); !old) return std::unexpected(std::move(old.error()));
    if (!options.create) return std::unexpected(directory->at(Error(ErrorCode::no_entry), kCurrent));
  }
  auto lock = directory->lock();
  if (!lock) return std::unexpected(std::move(lock.error()));
  // As it is now that nobody else changes it.
  manifest = directory->manifest();
  if (!manifest) return std::unexpected(std::move(manifest.error()));
  if (!*manifest) {
    auto created = create(*directory, volume::Core::first_stamp(options));
    if (!created) return std::unexpected(std::move(created.error()));
    *manifest = std::move(*created);
  } else {
    // Perhaps renamed by a process that was killed then: what is acknowledged from now on counts on its being there.
    if (auto synced = directory->sync(); !synced) return std::unexpected(std::move(synced.error()));
    if (auto cleaned = clean(*directory, **manifest); !cleaned) return std::unexpected(std::move(cleaned.error()));
  }
  return recovered(std::move(*directory), std::move(*lock), std::move(**manifest), options);
}

}  // namespace

Result<Volume> open(base::Io& io, std::string_view directory, const StoreOptions& options) {
  try {
    auto core = options.read_only ? followed(io, directory, options) : opened(io, directory, options);
    if (!core) return std::unexpected(std::move(core.error()));
    return Volume(std::move(*core));
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  } catch (const std::system_error&) {
    return std::unexpected(Error::from_errno(EAGAIN).with_note("no thread can be started"));
  }
}

}  // namespace packfs::store

namespace packfs {

Result<Volume> Volume::open(const std::string& directory, const StoreOptions& options) {
  return store::open(base::system_io(), directory, options);
}

}  // namespace packfs
