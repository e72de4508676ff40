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
}

OpenTurn::~OpenTurn() { end(); }

void OpenTurn::end() noexcept {
  {
    const std::lock_guard lock(core_->domain().counts());
    tree::State& state = table_->working();
    core_->domain().heap().let_go(std::exchange(state.root, nullptr));
    core_->domain().heap().let_go(std::exchange(state.links, nullptr));
    core_->domain().collect(1);
  }
  core_->turn().leave();
  core_->domain().bell().ring();
}

Result<void> OpenTurn::run(Result<void> (*call)(tree::Edit&, const void*), const void* arguments) {
  core_->turn().claim();
  core_->pay();
  const std::lock_guard lock(core_->domain().counts());
  if (auto begun = core_->begin_edit(); !begun) return begun;
  edit_->set_time(Core::now());
  try {
    return call(*edit_, arguments);
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
}

Result<std::uint64_t> OpenTurn::commit() {
  core_->turn().claim();
  {
    const std::lock_guard lock(core_->domain().counts());
    if (auto begun = core_->begin_edit(); !begun) return std::unexpected(std::move(begun.error()));
    core_->publish(std::exchange(table_->working(), {}), commit_);
  }
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
