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

Core::Core(Ref<const tree::Table> lower, const VolumeOptions& options, std::uint64_t seed)
    : domain_(std::make_unique<Domain>(seed)),
      lower_(std::move(lower)),
      // Not calls that Io is for: they read nothing but this process and cannot fail.
      uid_(options.uid.value_or(::geteuid())),
      gid_(options.gid.value_or(::getegid())),
      made_by_(::getpid()) {}

Core::~Core() {
  if (::getpid() != made_by_) {
    // In a forked child there is no thread to wait for, and its locks may be held by what is not there: all of it
    // belongs to the parent.
    static_cast<void>(reclaimer_.release());
    static_cast<void>(domain_.release());
    return;
  }
  reclaimer_.reset();
  Domain::close(std::move(domain_));
}

Result<std::shared_ptr<Core>> Core::make(Ref<const tree::Table> lower, const VolumeOptions& options) {
  base::rcu::install_fork_handlers();
  std::uint64_t seed = 0;
  if (base::system_io().getrandom(&seed, sizeof(seed)) != sizeof(seed))
    return std::unexpected(Error(ErrorCode::io_error));
  std::shared_ptr<Core> core(new Core(std::move(lower), options, seed));
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
  auto root = tree::Edit(domain.heap(), table, core->numbers_, {0, now(), core->uid_, core->gid_}).make_root();
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

tree::State Core::share_newest() noexcept {
  const tree::State state = domain_->peek()->state();
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

Result<void> Core::apply(Result<void> (*call)(tree::Edit&, const void*), const void* arguments) {
  if (auto entered = turn_.enter(); !entered) return entered;
  Result<void> done;
  {
    const std::lock_guard lock(domain_->counts());
    done = begin_edit();
    if (done) {
      tree::PartHeap& heap = domain_->heap();
      tree::WorkingTable table(heap, lower_, share_newest());
      const tree::Stamp stamp = next_stamp();
      tree::Edit edit(heap, table, numbers_, stamp);
      try {
        done = call(edit, arguments);
      } catch (const std::bad_alloc&) {
        done = std::unexpected(Error(ErrorCode::no_memory));
      }
      const tree::State state = table.working();
      if (done && heap.memory().reserve(sizeof(Root))) {
        publish(state, stamp.commit);
      } else {
        if (done) done = std::unexpected(Error(ErrorCode::no_memory));
        heap.let_go(state.root);
        heap.let_go(state.links);
      }
    }
  }
  turn_.leave();
  after_commit();
  return done;
}

}  // namespace packfs::volume
