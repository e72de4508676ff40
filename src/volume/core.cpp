#include "volume/core.h"

#include <time.h>
#include <unistd.h>

#include <mutex>
#include <new>
#include <utility>

#include "base/io.h"
#include "base/rcu.h"

namespace packfs::volume {
namespace {

/// Parts that an edit frees of what earlier ones replaced: more than it replaces itself.
constexpr std::size_t kPartsPerEdit = 64;
constexpr std::size_t kFirstParts = 4096;

}  // namespace

Core::Core(Ref<const tree::Table> lower, std::uint32_t uid, std::uint32_t gid, std::uint64_t seed)
    : domain_(std::make_unique<Domain>(seed)), lower_(std::move(lower)), uid_(uid), gid_(gid) {}

Core::~Core() {
  if (reclaimer_ && reclaimer_->is_in_forked_child()) {
    // Threads of the parent may hold locks here or wait, for ever: the copy is left as it is.
    static_cast<void>(pipeline_.release());
    static_cast<void>(follower_.release());
    static_cast<void>(reclaimer_.release());
    static_cast<void>(domain_.release());
    return;
  }
  pipeline_.reset();
  reclaimer_.reset();
  Domain::close(std::move(domain_));
}

tree::Stamp Core::first_stamp(const VolumeOptions& options) noexcept {
  // Not calls that Io is for: they read nothing but this process and cannot fail.
  return {0, now(), options.uid.value_or(::geteuid()), options.gid.value_or(::getegid())};
}

Result<std::shared_ptr<Core>> Core::make(Ref<const tree::Table> lower, const VolumeOptions& options,
                                         const tree::Stamp& root_stamp) {
  base::rcu::install_fork_handlers();
  std::uint64_t seed = 0;
  if (base::system_io().getrandom(&seed, sizeof(seed)) != sizeof(seed))
    return std::unexpected(Error(ErrorCode::io_error));
  const tree::Stamp own = first_stamp(options);
  std::shared_ptr<Core> core(new Core(std::move(lower), own.uid, own.gid, seed));
  Domain& domain = core->domain();
  if (!domain.heap().memory().reserve(sizeof(Root) + kFirstParts)) {
    return std::unexpected(Error(ErrorCode::no_memory));
  }
  if (core->lower_) {
    const tree::Table::Numbers used = core->lower_->numbers();
    core->numbers_.inode = used.next_inode;
    core->numbers_.link_id = used.next_link_id;
  }
  tree::WorkingTable table(domain.heap(), core->lower_, {});
  auto root = tree::Edit(domain.heap(), table, core->numbers_, root_stamp).make_root();
  if (!root) return std::unexpected(std::move(root.error()));
  domain.publish(domain.make_root(core->lower_, {*root, nullptr}, 0));
  core->reclaimer_ = std::make_unique<Reclaimer>(domain);
  return core;
}

Time Core::now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // the kernel's own choice for the times of files
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

tree::Stamp Core::next_stamp() noexcept { return {++last_commit_, now(), uid_, gid_}; }

void Core::attach(std::unique_ptr<Journal> journal) {
  pipeline_ = std::make_unique<Pipeline>(*domain_, std::move(journal), last_commit_);
}

Result<bool> Core::refresh() {
  if (!follower_) return false;
  if (reclaimer_->is_in_forked_child()) {
    return std::unexpected(Error(ErrorCode::busy).with_note("opened by the parent process"));
  }
  const std::lock_guard lock(following_);
  return follower_->follow();
}

Result<void> Core::may_write() const noexcept {
  if (follower_) return std::unexpected(Error(ErrorCode::read_only));
  if (pipeline_ && reclaimer_->is_in_forked_child()) return std::unexpected(Error(ErrorCode::busy));
  return {};
}

tree::State Core::share_newest() noexcept {
  const tree::State state = domain_->head().state();
  domain_->heap().share(state.root);
  domain_->heap().share(state.links);
  return state;
}

void Core::publish(const tree::State& state, std::uint64_t commit) noexcept {
  domain_->publish(domain_->make_root(lower_, state, commit));
}

Result<void> Core::begin_edit() noexcept {
  domain_->collect(kPartsPerEdit);
  if (!domain_->heap().memory().reserve(sizeof(Root))) return std::unexpected(Error(ErrorCode::no_memory));
  return {};
}

void Core::pay() noexcept {
  while (domain_->owes()) [[unlikely]] {
    const std::lock_guard lock(domain_->counts());
    domain_->collect(Domain::kSlice);
  }
}

void Core::after_commit() noexcept {
  if (domain_->claims_grace()) domain_->wait_for_readers();
  pay();
  domain_->bell().ring();
}

/// Does it on the newest state; the root of the state that comes of it, which nobody counts yet.
Result<Root*> Core::edited(const tree::Operation& operation, const tree::Stamp& stamp) {
  if (auto begun = begin_edit(); !begun) return std::unexpected(std::move(begun.error()));
  tree::PartHeap& heap = domain_->heap();
  tree::WorkingTable table(heap, lower_, share_newest());
  tree::Edit edit(heap, table, numbers_, stamp);
  Result<void> done;
  try {
    done = tree::apply(edit, operation);
  } catch (const std::bad_alloc&) {
    done = std::unexpected(Error(ErrorCode::no_memory));
  }
  const tree::State state = table.working();
  if (done && heap.memory().reserve(sizeof(Root))) return make_root(state, stamp.commit);
  heap.let_go(state.root);
  heap.let_go(state.links);
  return std::unexpected(done ? Error(ErrorCode::no_memory) : std::move(done.error()));
}

Result<void> Core::apply(const tree::Operation& operation, Durability durability) {
  if (auto may = may_write(); !may) return may;
  if (auto entered = turn_.enter(); !entered) return entered;
  if (pipeline_) return journaled(operation, durability);
  Result<void> done;
  {
    const std::lock_guard lock(domain_->counts());
    const auto root = edited(operation, next_stamp());
    if (root) {
      domain_->publish(*root);
    } else {
      done = std::unexpected(root.error());
    }
  }
  turn_.leave();
  after_commit();
  return done;
}

/// apply() with a journal, and the turn, which this gives up.
Result<void> Core::journaled(tree::Operation operation, Durability durability) {
  auto done = pipeline_->check();
  std::uint64_t awaited = 0;
  if (done) {
    const tree::Stamp stamp = next_stamp();
    done = pipeline_->add(operation, {stamp, numbers_.inode, numbers_.link_id});
    Result<Root*> root = nullptr;
    // What the journal has no words for is wrong in itself: the call says how.
    if (done || done.error().code() == ErrorCode::invalid) {
      const std::lock_guard lock(domain_->counts());
      awaited = domain_->head().commit();
      root = edited(operation, stamp);
      if (!done && root) domain_->discard(*root);
    }
    if (!root) {
      done = std::unexpected(std::move(root.error()));
    } else if (done) {
      done = pipeline_->write(*root, stamp.commit, durability);
      if (done) awaited = stamp.commit;
    }
    if (!done) pipeline_->journal().drop();
  }
  turn_.leave(durability == Durability::sync);
  // What failed may have failed because of a commit that is not published yet, and perhaps never will be.
  if (auto published = pipeline_->wait(awaited); !published) done = std::move(published);
  after_commit();
  return done;
}

}  // namespace packfs::volume
