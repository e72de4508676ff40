#include "store/store.h"

#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/io_loops.h"
#include "store/directory.h"
#include "store/follower.h"
#include "store/journal.h"
#include "store/leftovers.h"
#include "store/recovery.h"
#include "store/replayer.h"
#include "volume/core.h"

namespace packfs::store {
namespace {

Result<Manifest> create(const Directory& directory, const tree::Stamp& stamp) {
  const auto old = leftovers_of_creation(directory);
  if (!old) return std::unexpected(old.error());
  for (const std::string& name : *old) {
    if (auto removed = directory.remove(name); !removed) return std::unexpected(std::move(removed.error()));
  }
  // Whoever made it, perhaps a process that was killed then.
  if (auto synced = directory.sync_above(); !synced) return std::unexpected(std::move(synced.error()));
  Manifest manifest{.created = stamp.now, .uid = stamp.uid, .gid = stamp.gid};
  if (const auto got = base::checked(directory.io().getrandom(&manifest.store_id, sizeof manifest.store_id)); !got) {
    return std::unexpected(got.error().with_path(directory.path()));
  }
  auto segment = make_segment(directory, 0, 0, 0);
  if (!segment) return std::unexpected(std::move(segment.error()));
  if (auto adopted = adopt_segment(directory, manifest, **segment, 0, 0); !adopted) {
    return std::unexpected(std::move(adopted.error()));
  }
  return manifest;
}

VolumeOptions owner_of(const StoreOptions& options) { return {.uid = options.uid, .gid = options.gid}; }

Result<std::shared_ptr<volume::Core>> recovered(Directory directory, base::unique_fd lock, Manifest manifest,
                                                std::vector<std::string> leftovers, const StoreOptions& options) {
  auto core = volume::Core::make({}, owner_of(options), {0, manifest.created, manifest.uid, manifest.gid});
  if (!core) return core;
  (*core)->domain().heap().set_origin(manifest.store_id);
  JournalEnd end;
  {
    Replayer replayer(**core);
    auto found = Recovery(directory, manifest, replayer, std::move(leftovers)).run();
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
  auto core = volume::Core::make({}, owner_of(options), {});
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
    if (auto old = leftovers_of_creation(*directory); !old) return std::unexpected(std::move(old.error()));
    if (!options.create) return std::unexpected(directory->at(Error(ErrorCode::no_entry), kCurrent));
  }
  auto lock = directory->lock();
  if (!lock) return std::unexpected(std::move(lock.error()));
  // As it is now that nobody else changes it.
  manifest = directory->manifest();
  if (!manifest) return std::unexpected(std::move(manifest.error()));
  std::vector<std::string> leftovers;
  if (!*manifest) {
    auto created = create(*directory, volume::Core::first_stamp(owner_of(options)));
    if (!created) return std::unexpected(std::move(created.error()));
    *manifest = std::move(*created);
  } else {
    // Perhaps renamed by a process that was killed then: what is acknowledged from now on counts on its being there.
    if (auto synced = directory->sync(); !synced) return std::unexpected(std::move(synced.error()));
    auto left = leftovers_of(*directory, **manifest);
    if (!left) return std::unexpected(std::move(left.error()));
    leftovers = std::move(*left);
  }
  return recovered(std::move(*directory), std::move(*lock), std::move(**manifest), std::move(leftovers), options);
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
