#include "store/journal.h"

#include <new>
#include <utility>

#include "base/io_loops.h"

namespace packfs::store {
namespace {

constexpr int kMostNames = 16;

template <class Call>
auto guarded(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

}  // namespace

Result<std::unique_ptr<log::SegmentWriter>> make_segment(const Directory& directory, std::uint64_t previous_segment,
                                                         std::uint64_t previous_cut, std::uint64_t base_commit) {
  for (int attempt = 1;; ++attempt) {
    log::SegmentHeader header{0, previous_segment, previous_cut, base_commit};
    const auto got = base::checked(directory.io().getrandom(&header.segment_id, sizeof header.segment_id));
    if (!got) return std::unexpected(got.error().with_path(directory.path()));
    if (header.segment_id == 0 || header.segment_id == log::kBuiltSegmentId) continue;
    const std::string name = segment_name(header.segment_id);
    auto made = log::SegmentWriter::create(directory.io(), directory.get(), name, header);
    if (made) return made;
    // What a crash left under just this name: 64 random bits do not hit it twice.
    if (made.error().code() == ErrorCode::exists && attempt < kMostNames) continue;
    return std::unexpected(directory.at(made.error(), name));
  }
}

Result<Manifest> prepare_segment(const Directory& directory, const Manifest& manifest, log::SegmentWriter& segment,
                                 std::uint64_t cut, std::uint64_t base_commit) {
  const std::string name = segment_name(segment.segment_id());
  const auto failed = [&](const Error& error) -> Result<Manifest> {
    // Where there is no room for a new one, the old one may have some.
    static_cast<void>(directory.remove(name));
    return std::unexpected(error);
  };
  if (auto synced = segment.sync(); !synced) return failed(directory.at(synced.error(), name));
  if (auto synced = directory.sync(); !synced) return failed(synced.error());
  Manifest next = manifest;
  if (!next.segments.empty()) next.segments.back().end = cut;
  next.segments.push_back({segment.segment_id(), 0, base_commit});
  ++next.generation;
  if (auto written = directory.write_next_manifest(next); !written) return failed(written.error());
  return next;
}

Result<void> adopt_segment(const Directory& directory, Manifest& manifest, log::SegmentWriter& segment,
                           std::uint64_t cut, std::uint64_t base_commit) {
  auto next = prepare_segment(directory, manifest, segment, cut, base_commit);
  if (!next) return std::unexpected(std::move(next.error()));
  if (auto switched = directory.switch_manifest(); !switched) return switched;
  manifest = std::move(*next);
  return {};
}

Journal::Journal(Directory directory, base::unique_fd lock, Manifest manifest, JournalEnd end,
                 std::uint64_t segment_bytes)
    : directory_(std::move(directory)),
      lock_(std::move(lock)),
      manifest_(std::move(manifest)),
      segment_bytes_(segment_bytes),
      settler_(directory_, segment_bytes),
      greatest_(end.last_commit),
      is_marked_(end.is_marked),
      synced_end_(end.end),
      writer_(std::move(end.writer)),
      end_(end.end),
      committed_(end.last_commit) {
  group_.begin(writer_->segment_id(), end_);
}

Journal::~Journal() { close(); }

Result<void> Journal::usable() const {
  if (is_forked()) return std::unexpected(Error(ErrorCode::busy).with_note("opened by the parent process"));
  if (!is_broken_.load(std::memory_order_relaxed)) [[likely]] {
    return {};
  }
  const std::lock_guard lock(mutex_);
  return std::unexpected(Error(ErrorCode::poisoned).with_path(broken_->path()).with_note(broken_->message()));
}

/// Nothing is written any more.
std::unexpected<Error> Journal::broken(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = error;
  is_broken_.store(true, std::memory_order_relaxed);
  return std::unexpected(error);
}

Result<void> Journal::failed(const Error& error) {
  return std::unexpected(directory_.at(error, segment_name(writer_->segment_id())));
}

Result<void> Journal::add(tree::Operation& operation, const log::Setting& setting) {
  return guarded([&] { return add_guarded(operation, setting); });
}

Result<void> Journal::add_guarded(tree::Operation& operation, const log::Setting& setting) {
  if (auto good = usable(); !good) return good;
  greatest_ = setting.stamp.commit;
  if (group_.records() == 0 && end_ > segment_bytes_) {
    if (auto rolled = roll(); !rolled) return rolled;
  }
  if (group_.records() == 0) writer_->expect(end_, last_bytes_);
  if (group_.bytes().size() > kMostBuffered) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  const auto content = log::logged_bytes(operation);
  if (!content) return std::unexpected(content.error());
  auto added =
      content->size() <= kMostBuffered ? group_.add(operation, setting) : add_large(operation, setting, *content);
  if (!added) return added;
  auto held = settler_.hold(operation, group_.content_begin());
  if (!held) take_back();
  return held;
}

/// A content that would fill the buffer is written from where it lies.
Result<void> Journal::add_large(const tree::Operation& operation, const log::Setting& setting,
                                std::span<const std::byte> content) {
  if (auto begun = group_.begin_large(operation, setting); !begun) return begun;
  auto written = write_large(content);
  if (!written) group_.take_back();
  return written;
}

Result<void> Journal::flush() {
  is_marked_ = false;
  if (auto written = writer_->write(group_.offset(), group_.bytes()); !written) return failed(written.error());
  group_.flushed();
  settler_.written(writer_->segment_id(), group_.offset());
  return {};
}

Result<void> Journal::write_large(std::span<const std::byte> content) {
  if (auto flushed = flush(); !flushed) return flushed;
  if (auto written = writer_->write(group_.end(), content); !written) return failed(written.error());
  return group_.end_large(content);
}

void Journal::take_back() noexcept {
  group_.take_back();
  settler_.drop_from(group_.end());
}

void Journal::drop() noexcept {
  group_.begin(writer_->segment_id(), end_);
  settler_.drop_from(end_);
}

Result<void> Journal::commit(std::uint64_t number) {
  return guarded([&] { return commit_guarded(number); });
}

Result<void> Journal::commit_guarded(std::uint64_t number) {
  if (auto good = usable(); !good) return good;
  greatest_ = number;
  auto written = group_.close(number, synced_end_.load(std::memory_order_relaxed));
  if (written) {
    is_marked_ = false;
    written = writer_->write(group_.offset(), group_.bytes());
  }
  if (!written) {
    drop();
    return failed(written.error());
  }
  {
    const std::lock_guard lock(mutex_);
    last_bytes_ = group_.end() - end_;
    end_ = group_.end();
    committed_ = number;
    settler_.commit();
  }
  drop();
  return {};
}

Result<std::uint64_t> Journal::sync() {
  if (auto good = usable(); !good) return std::unexpected(std::move(good.error()));
  std::unique_lock lock(mutex_);
  const std::shared_ptr<log::SegmentWriter> writer = writer_;
  const std::uint64_t end = end_;
  const std::uint64_t committed = committed_;
  if (synced_end_.load(std::memory_order_relaxed) == end) return committed;
  const Settler::Contents contents = settler_.take_committed();
  lock.unlock();
  if (auto synced = sync_segment(*writer); !synced) return std::unexpected(std::move(synced.error()));
  settler_.settle(contents, writer->segment_id());
  lock.lock();
  // A segment that was left was synced before.
  if (writer == writer_) synced_end_.store(end, std::memory_order_relaxed);
  return committed;
}

/// Of two syncs of a file one alone is told that a write failed: the other must not take its own for good.
Result<void> Journal::sync_segment(log::SegmentWriter& writer) {
  const std::lock_guard lock(syncing_);
  if (auto good = usable(); !good) return good;
  auto synced = writer.sync();
  if (!synced) return broken(directory_.at(synced.error(), segment_name(writer.segment_id())));
  return synced;
}

Result<void> Journal::roll() {
  auto made = make_segment(directory_, writer_->segment_id(), end_, committed_);
  if (!made) return std::unexpected(std::move(made.error()));
  if (auto synced = sync_segment(*writer_); !synced) return synced;
  settler_.settle(settler_.take_committed(), writer_->segment_id());
  auto next = prepare_segment(directory_, manifest_, **made, end_, committed_);
  if (!next) return std::unexpected(std::move(next.error()));  // the next transaction tries again
  if (auto switched = directory_.switch_manifest(); !switched) return broken(switched.error());
  manifest_ = std::move(*next);
  const std::lock_guard lock(mutex_);
  writer_ = std::move(*made);
  end_ = sizeof(log::FileHeader);
  synced_end_.store(end_, std::memory_order_relaxed);
  is_marked_ = false;
  drop();
  return {};
}

/// Marks the end, so that the next to open goes on there. Whatever fails leaves a store that was not closed in order.
void Journal::close() noexcept {
  if (!usable() || is_marked_) return;
  if (const auto synced = sync(); !synced) return;
  drop();
  if (!group_.mark_closed(greatest_ + 1)) return;
  if (writer_->write(group_.offset(), group_.bytes())) static_cast<void>(writer_->sync());
}

}  // namespace packfs::store
