#include "store/repair.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <optional>
#include <utility>

#include "base/io_loops.h"
#include "base/system_io.h"
#include "log/group.h"
#include "store/directory.h"
#include "store/journal.h"
#include "store/leftovers.h"
#include "store/salvage.h"
#include "store/store.h"
#include "volume/core.h"

namespace packfs::store {
namespace {

constexpr std::string_view kDropped = "dropped-";

class Repair {
 public:
  explicit Repair(const Directory& directory) noexcept : directory_(directory) {}

  Result<RepairReport> run() {
    if (auto there = expect_store(); !there) return std::unexpected(std::move(there.error()));
    auto lock = directory_.lock();
    if (!lock) return std::unexpected(std::move(lock.error()));
    auto manifest = named_manifest();
    if (!manifest) return std::unexpected(std::move(manifest.error()));
    const bool is_lost = !*manifest;
    if (is_lost) {
      auto made = manifest_of_segments();
      if (!made) return std::unexpected(std::move(made.error()));
      manifest = std::move(*made);
    }
    const auto prefix = find_prefix(directory_, **manifest);
    if (!prefix) return std::unexpected(prefix.error());
    report_.last_commit = prefix->last_commit;
    if (!is_lost && !prefix->damage) return std::move(report_);
    if (prefix->damage) report_.damage.push_back(*prefix->damage);
    report_.dropped_commits = prefix->dropped_commits;
    if (is_lost) {
      if (auto aside = set_aside(kCurrent); !aside) return std::unexpected(std::move(aside.error()));
    }
    if (auto cut = cut_off(**manifest, *prefix); !cut) return std::unexpected(std::move(cut.error()));
    report_.changed = true;
    return std::move(report_);
  }

 private:
  /// Before a lock file is made there: is this a store, or what is left of one?
  Result<void> expect_store() const {
    const auto names = directory_.names();
    if (!names) return std::unexpected(names.error());
    const auto is_of_store = [](const std::string& name) {
      return name == kCurrent || segment_id_of(name).has_value();
    };
    if (std::ranges::any_of(*names, is_of_store)) return {};
    return std::unexpected(directory_.at(Error(ErrorCode::no_entry), kCurrent));
  }

  /// The manifest, unless it is lost, damaged or an older one: then the report says so.
  Result<std::optional<Manifest>> named_manifest() {
    auto manifest = directory_.manifest();
    if (manifest && *manifest) {
      const auto left = leftovers_of(directory_, **manifest);
      if (left) return manifest;
      manifest = std::unexpected(left.error());
    }
    if (!manifest && manifest.error().code() != ErrorCode::corrupt) return manifest;
    report_.damage.push_back(manifest ? directory_.at(Error(ErrorCode::no_entry), kCurrent) : manifest.error());
    return std::nullopt;
  }

  Result<Manifest> manifest_of_segments() {
    const auto names = directory_.names();
    if (!names) return std::unexpected(names.error());
    auto chain = find_chain(directory_, *names);
    if (!chain) return std::unexpected(std::move(chain.error()));
    if (chain->empty()) {
      return std::unexpected(
          report_.damage.front().with_note("and no segment begins a journal: there is nothing to be kept"));
    }
    const tree::Stamp stamp = volume::Core::first_stamp({});
    Manifest manifest{.created = stamp.now, .uid = stamp.uid, .gid = stamp.gid, .segments = std::move(*chain)};
    if (const auto got = base::checked(directory_.io().getrandom(&manifest.store_id, sizeof manifest.store_id)); !got) {
      return std::unexpected(got.error().with_path(directory_.path()));
    }
    return manifest;
  }

  /// Lets the journal end where the prefix does, and go on in a new segment. What it loses gets another name before it
  /// loses this one.
  Result<void> cut_off(Manifest manifest, const Prefix& prefix) {
    std::vector<std::string> lost;
    for (std::size_t i = prefix.segments; i < manifest.segments.size(); ++i) {
      lost.push_back(segment_name(manifest.segments[i].id));
    }
    for (const std::string& name : lost) {
      if (auto aside = set_aside(name); !aside) return aside;
    }
    manifest.segments.resize(prefix.segments);
    if (auto adopted = go_on(manifest, prefix); !adopted) return adopted;
    for (const std::string& name : lost) {
      if (auto removed = directory_.remove(name); !removed && removed.error().code() != ErrorCode::no_entry) {
        return removed;
      }
    }
    return directory_.sync();
  }

  Result<void> go_on(Manifest& manifest, const Prefix& prefix) {
    const std::uint64_t previous = manifest.segments.empty() ? 0 : manifest.segments.back().id;
    const std::uint64_t cut = manifest.segments.empty() ? 0 : prefix.cut;
    if (previous != 0) {
      if (auto synced = sync_file(segment_name(previous)); !synced) return synced;
    }
    auto segment = make_segment(directory_, previous, cut, prefix.last_commit);
    if (!segment) return std::unexpected(std::move(segment.error()));
    log::Group mark;
    mark.begin((*segment)->segment_id(), sizeof(log::FileHeader));
    if (auto marked = mark.mark_closed(prefix.last_commit + 1); !marked) return marked;
    if (auto written = (*segment)->write(mark.offset(), mark.bytes()); !written) {
      return std::unexpected(directory_.at(written.error(), segment_name((*segment)->segment_id())));
    }
    return adopt_segment(directory_, manifest, **segment, cut, prefix.last_commit);
  }

  /// What was read of it may not have been durable yet.
  Result<void> sync_file(const std::string& name) {
    const auto fd = directory_.open_file(name, O_RDONLY);
    if (!fd) return std::unexpected(fd.error());
    if (const int synced = directory_.io().fsync(fd->get()); synced < 0) {
      return std::unexpected(directory_.at(Error::from_errno(-synced), name));
    }
    return {};
  }

  Result<void> set_aside(const std::string& name) {
    std::string aside = std::string(kDropped) + name;
    for (int more = 2;; ++more) {
      int linked = directory_.io().linkat(directory_.get(), name.c_str(), directory_.get(), aside.c_str(), 0);
      // A directory has one name only; without it the manifest is lost, which it was.
      if (linked == -EPERM) {
        linked = directory_.io().renameat2(directory_.get(), name.c_str(), directory_.get(), aside.c_str(),
                                           RENAME_NOREPLACE);
      }
      if (linked == -ENOENT) return {};
      if (linked == 0) break;
      if (linked != -EEXIST) return std::unexpected(directory_.at(Error::from_errno(-linked), aside));
      aside = std::string(kDropped) + name + "." + std::to_string(more);
    }
    report_.set_aside.push_back(directory_.path_of(aside));
    return {};
  }

  const Directory& directory_;
  RepairReport report_;
};

}  // namespace

Result<RepairReport> repair(base::Io& io, const std::string& directory) {
  try {
    const auto opened = Directory::open(io, directory);
    if (!opened) return std::unexpected(opened.error());
    return Repair(*opened).run();
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace packfs::store

namespace packfs {

Result<RepairReport> repair_store(const std::string& directory) { return store::repair(base::system_io(), directory); }

}  // namespace packfs
