#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/fork_watch.h"
#include "log/group.h"
#include "log/segment_writer.h"
#include "store/directory.h"
#include "store/manifest.h"
#include "store/settler.h"
#include "volume/journal.h"

namespace packfs::store {

/// Where a journal goes on.
struct JournalEnd {
  std::shared_ptr<log::SegmentWriter> writer;  ///< of the manifest's last segment
  std::uint64_t end = 0;                       ///< the next group's place; all before it is durable
  std::uint64_t last_commit = 0;               ///< the greatest number used, be it by a mark
  bool is_marked = false;                      ///< an empty group at `end` says that the store was closed in order
};

/// The journal of a store: groups in one segment after another. It holds the store's lock.
class Journal final : public volume::Journal, private base::ForkWatch {
 public:
  Journal(Directory directory, base::unique_fd lock, Manifest manifest, JournalEnd end, std::uint64_t segment_bytes);
  ~Journal() override;

  [[nodiscard]] Result<void> usable() const override;
  Result<void> add(tree::Operation& operation, const log::Setting& setting) override;
  void take_back() noexcept override;
  void drop() noexcept override;
  [[nodiscard]] bool must_be_durable() const noexcept override { return group_.is_flushed(); }
  Result<void> commit(std::uint64_t number) override;
  Result<std::uint64_t> sync() override;

  /// Of a transaction, more is written before it is committed.
  static constexpr std::size_t kMostBuffered = std::size_t{1} << 20;

 private:
  /// The lock is the parent's alone, also if it dies before the child.
  void in_child() noexcept override { lock_.reset(); }
  Result<void> add_guarded(tree::Operation& operation, const log::Setting& setting);
  Result<void> add_large(const tree::Operation& operation, const log::Setting& setting,
                         std::span<const std::byte> content);
  Result<void> commit_guarded(std::uint64_t number);
  Result<void> roll();
  Result<void> flush();
  Result<void> write_large(std::span<const std::byte> content);
  Result<void> sync_segment(log::SegmentWriter& writer);
  Result<void> failed(const Error& error);
  std::unexpected<Error> broken(const Error& error);
  void close() noexcept;

  Directory directory_;
  base::unique_fd lock_;
  Manifest manifest_;
  std::uint64_t segment_bytes_;  // a longer one is followed by another
  Settler settler_;
  log::Group group_;
  std::uint64_t greatest_;        // commit number seen, committed or not
  std::uint64_t last_bytes_ = 0;  // of the last group
  bool is_marked_;
  std::atomic<bool> is_broken_{false};
  std::mutex syncing_;                     // of a segment; before mutex_
  std::atomic<std::uint64_t> synced_end_;  // of the last segment

  mutable std::mutex mutex_;  // what sync() takes together
  std::shared_ptr<log::SegmentWriter> writer_;
  std::uint64_t end_;
  std::uint64_t committed_;
  std::optional<Error> broken_;  // what came first
};

/// A new segment with its header, not yet synced, that goes on behind `previous`.
Result<std::unique_ptr<log::SegmentWriter>> make_segment(const Directory& directory, std::uint64_t previous_segment,
                                                         std::uint64_t previous_cut, std::uint64_t base_commit);
/// The manifest with a new segment as the last one of the store: the one before it ends at `cut`. The segment is
/// synced, and the manifest written, but not yet the store's. When it fails, nothing has changed, and there is no such
/// segment any more.
Result<Manifest> prepare_segment(const Directory& directory, const Manifest& manifest, log::SegmentWriter& segment,
                                 std::uint64_t cut, std::uint64_t base_commit);
/// The same, and makes it the store's.
Result<void> adopt_segment(const Directory& directory, Manifest& manifest, log::SegmentWriter& segment,
                           std::uint64_t cut, std::uint64_t base_commit);

}  // namespace packfs::store
