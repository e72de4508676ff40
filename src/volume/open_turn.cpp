#include "volume/open_turn.h"

#include <new>
#include <utility>

namespace packfs::volume {

OpenTurn::OpenTurn(std::shared_ptr<Core> core) : core_(std::move(core)) {
  Domain& domain = core_->domain();
  const std::lock_guard lock(domain.counts());
  table_ = Ref<tree::WorkingTable>(new tree::WorkingTable(domain.heap(), core_->lower(), {}));
  const tree::Stamp stamp = core_->next_stamp();
  commit_ = stamp.commit;
  edit_ = std::make_unique<tree::Edit>(domain.heap(), *table_, core_->numbers(), stamp);
  table_->working() = core_->share_newest();
  base_ = domain.head().commit();
}

OpenTurn::~OpenTurn() { end(); }

void OpenTurn::end() noexcept {
  if (left_) return;
  {
    const std::lock_guard lock(core_->domain().counts());
    tree::State& state = table_->working();
    core_->domain().heap().let_go(std::exchange(state.root, nullptr));
    core_->domain().heap().let_go(std::exchange(state.links, nullptr));
    core_->domain().collect(1);
  }
  Pipeline* const pipeline = core_->pipeline();
  if (pipeline != nullptr) pipeline->journal().drop();
  core_->turn().leave();
  // Who dropped it may have done so because of what was not published yet. Whether that failed, the next call says.
  if (pipeline != nullptr) static_cast<void>(pipeline->wait(base_));
  core_->domain().bell().ring();
}

Result<void> OpenTurn::run(const tree::Operation& operation) {
  core_->turn().claim();
  core_->pay();
  edit_->set_time(Core::now());
  Pipeline* const pipeline = core_->pipeline();
  if (pipeline == nullptr) return edit(operation);
  const tree::NextNumbers& numbers = core_->numbers();
  tree::Operation logged = operation;
  auto added = pipeline->add(logged, {edit_->stamp(), numbers.inode, numbers.link_id});
  if (!added && added.error().code() != ErrorCode::invalid) return added;
  auto done = added ? edit(logged) : refused(operation, added);
  if (done) return done;
  if (added) pipeline->journal().take_back();
  if (auto published = pipeline->wait(base_); !published) return published;
  return done;
}

/// What the journal has no words for is wrong in itself: the call says how, and changes nothing.
Result<void> OpenTurn::refused(const tree::Operation& operation, const Result<void>& added) {
  tree::PartHeap& heap = core_->domain().heap();
  tree::State before;
  {
    const std::lock_guard lock(core_->domain().counts());
    before = table_->state();
    heap.share(before.root);
    heap.share(before.links);
    edit_->renew_owner();
  }
  const auto done = edit(operation);
  const std::lock_guard lock(core_->domain().counts());
  std::swap(before, table_->working());
  heap.let_go(before.root);
  heap.let_go(before.links);
  return done ? added : done;
}

Result<void> OpenTurn::edit(const tree::Operation& operation) {
  const std::lock_guard lock(core_->domain().counts());
  if (auto begun = core_->begin_edit(); !begun) return begun;
  try {
    return tree::apply(*edit_, operation);
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<std::uint64_t> OpenTurn::commit(Durability durability) {
  core_->turn().claim();
  if (core_->pipeline() != nullptr) return commit_journaled(durability);
  {
    const std::lock_guard lock(core_->domain().counts());
    if (auto begun = core_->begin_edit(); !begun) return std::unexpected(std::move(begun.error()));
    core_->publish(std::exchange(table_->working(), {}), commit_);
  }
  core_->after_commit();
  return commit_;
}

Result<std::uint64_t> OpenTurn::commit_journaled(Durability durability) {
  Pipeline& pipeline = *core_->pipeline();
  Root* root = nullptr;
  {
    const std::lock_guard lock(core_->domain().counts());
    if (auto begun = core_->begin_edit(); !begun) return std::unexpected(std::move(begun.error()));
    root = core_->make_root(std::exchange(table_->working(), {}), commit_);
  }
  // From here on there is no way back into the open transaction.
  if (auto written = pipeline.write(root, commit_, durability); !written) {
    return std::unexpected(std::move(written.error()));
  }
  core_->turn().leave(durability == Durability::sync);
  left_ = true;
  if (auto published = pipeline.wait(commit_); !published) return std::unexpected(std::move(published.error()));
  core_->after_commit();
  return commit_;
}

View OpenTurn::view() const {
  core_->turn().claim();
  return {table_, *table_->root(), {}};
}

Result<View> OpenTurn::frozen() {
  core_->turn().claim();
  Domain& domain = core_->domain();
  const std::lock_guard lock(domain.counts());
  if (auto begun = core_->begin_edit(); !begun) return std::unexpected(std::move(begun.error()));
  const tree::State state = table_->working();
  domain.heap().share(state.root);
  domain.heap().share(state.links);
  edit_->renew_owner();
  const Ref<const Root> root(domain.make_root(core_->lower(), state, commit_));
  return View(root, *root->root(), {});
}

}  // namespace packfs::volume
