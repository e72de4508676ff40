#include "store/replayer.h"

#include <mutex>
#include <new>
#include <utility>

#include "base/bytes.h"
#include "content/corruption.h"
#include "log/record_content.h"
#include "store/counted_groups.h"
#include "store/settler.h"

namespace packfs::store {

using tree::Operation;

Replayer::Replayer(volume::Core& core) : core_(core), finished_(core.numbers()) {
  volume::Domain& domain = core_.domain();
  const std::lock_guard lock(domain.counts());
  table_ = Ref<tree::WorkingTable>(new tree::WorkingTable(domain.heap(), core_.lower(), {}));
  edit_ = std::make_unique<tree::Edit>(domain.heap(), *table_, core_.numbers(), tree::Stamp());
  edit_->keep_damaged();
  table_->working() = core_.share_newest();
}

Replayer::~Replayer() {
  const std::lock_guard lock(core_.domain().counts());
  tree::State& state = table_->working();
  core_.domain().heap().let_go(std::exchange(state.root, nullptr));
  core_.domain().heap().let_go(std::exchange(state.links, nullptr));
  core_.numbers().inode = finished_.inode;
  core_.numbers().link_id = finished_.link_id;
}

Result<void> Replayer::begin_anew(const tree::Stamp& root) {
  const std::lock_guard lock(core_.domain().counts());
  if (auto begun = core_.begin_edit(); !begun) return begun;
  tree::PartHeap& heap = core_.domain().heap();
  tree::State& state = table_->working();
  heap.let_go(std::exchange(state.root, nullptr));
  heap.let_go(std::exchange(state.links, nullptr));
  if (!heap.memory().reserve(tree::dentry_bytes(FileType::directory, 0, 0))) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  core_.numbers().inode = 1;
  core_.numbers().link_id = 1;
  edit_->set_stamp(root);
  auto made = edit_->make_root();
  if (!made) return std::unexpected(std::move(made.error()));
  state.root = *made;
  return {};
}

Result<std::uint64_t> Replayer::apply_closed(const SegmentFile& file, std::uint64_t begin, std::uint64_t end,
                                             std::uint64_t last_commit) {
  CountedGroups groups(file, end, {begin, last_commit});
  for (;;) {
    const auto group = groups.next();
    if (!group) return std::unexpected(group.error());
    if (!group->has_value()) break;
    if (auto applied = apply(file, **group); !applied) return std::unexpected(applied.error().with_path(file.path()));
  }
  if (groups.lost()) return std::unexpected(*groups.lost());
  return groups.place().last_commit;
}

Result<void> Replayer::finish(std::uint64_t last_commit) {
  const std::lock_guard lock(core_.domain().counts());
  if (auto begun = core_.begin_edit(); !begun) return begun;
  core_.publish(std::exchange(table_->working(), {}), last_commit);
  finished_ = core_.numbers();
  return {};
}

Result<void> Replayer::apply(const SegmentFile& file, const log::FoundGroup& group) {
  log::Scanner scanner(file.source(), file.header().segment_id, group.begin, group.commit_record);
  for (;;) {
    const auto scanned = scanner.next();
    if (!scanned) return std::unexpected(scanned.error());
    if (!scanned->has_value()) return {};
    try {
      if (auto done = apply(file, **scanned); !done) return done;
    } catch (const std::bad_alloc&) {
      return std::unexpected(Error(ErrorCode::no_memory));
    }
  }
}

Result<void> Replayer::apply(const SegmentFile& file, const log::ScannedRecord& scanned) {
  log::Logged logged = log::operation_of(scanned.record);
  if (logged.attributes) logged.operation.attributes = &*logged.attributes;
  if (auto filled = fill_content(file, scanned, logged.operation); !filled) return filled;
  core_.pay();
  const std::lock_guard lock(core_.domain().counts());
  if (auto begun = core_.begin_edit(); !begun) return begun;
  tree::NextNumbers& numbers = core_.numbers();
  if (logged.setting.inode < numbers.inode || logged.setting.link_id < numbers.link_id) {
    return content::corrupt_at(scanned.offset, "numbers that were given before");
  }
  numbers.inode = logged.setting.inode;
  numbers.link_id = logged.setting.link_id;
  edit_->set_stamp(logged.setting.stamp);
  auto done = tree::apply(*edit_, logged.operation);
  if (done || done.error().code() == ErrorCode::no_memory || done.error().code() == ErrorCode::corrupt) return done;
  return content::corrupt_at(scanned.offset,
                             "an operation that fails when it is done again: " + done.error().message());
}

/// Gives the operation the bytes that its record holds. What a file holds is read only if it will lie in memory; if it
/// turns out damaged, it is left for whoever reads it.
Result<void> Replayer::fill_content(const SegmentFile& file, const log::ScannedRecord& scanned, Operation& operation) {
  if (scanned.record.form != content::Form::run) return {};
  const auto run = log::stored_content(file.source(), scanned);
  if (!run) return std::unexpected(run.error());
  if (!Settler::is_worth_it(operation.kind, run->size)) {
    bytes_.resize(run->size);
    const auto read = file.reader().read(*run, 0, bytes_);
    if (read) {
      operation.bytes = bytes_;
      if (operation.kind == Operation::Kind::symlink) operation.other = base::as_text(bytes_);
      return {};
    }
    const bool is_target = operation.kind == Operation::Kind::symlink;
    if (is_target || read.error().code() != ErrorCode::corrupt) return std::unexpected(read.error());
  }
  auto content = file.content(*run);
  if (!content) return std::unexpected(std::move(content.error()));
  operation.content = std::move(*content);
  return {};
}

}  // namespace packfs::store
