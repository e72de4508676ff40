#include "volume/domain.h"

#include <time.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/rcu.h"
#include "tree/held_alone.h"

namespace packfs::volume {
namespace {

/// To the kernel's tick: a snapshot's age is told, not measured by it, and this is made with every commit.
std::int64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

Root::Root(Domain& domain, Ref<const tree::Table> lower, const tree::State& state, std::uint64_t commit) noexcept
    : StateTable(domain.heap(), std::move(lower), state), domain_(domain), commit_(commit), made_ns_(monotonic_ns()) {}

void Root::unreferenced() const noexcept { domain_.bury(this); }

Root* Domain::make_root(Ref<const tree::Table> lower, const tree::State& state, std::uint64_t commit) noexcept {
  Root* const root = new (heap_.memory().allocate(sizeof(Root))) Root(*this, std::move(lower), state, commit);
  root->older_ = latest_;
  (latest_ != nullptr ? latest_->newer_ : oldest_) = root;
  latest_ = root;
  ++roots_;
  return root;
}

void Domain::publish(Root* root) noexcept {
  root->published_ = true;
  published_.store(published_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const std::uint64_t bytes = heap_.bytes_made() - std::exchange(bytes_weighed_, heap_.bytes_made());
  weight_.store(weight_.load(std::memory_order_relaxed) + kWeightOfState + bytes, std::memory_order_relaxed);
  static_cast<void>(Ref<Root>(root).detach());  // the publication's
  // Sequentially consistent, and before retire() reads which grace period has begun: one that begins later waits for
  // every reader that may have seen the old state.
  if (Root* const old = newest_.exchange(root)) retire(old);
}

void Domain::hold_back(Root* root) noexcept {
  (last_held_back_ != nullptr ? last_held_back_->next_retired_ : first_held_back_) = root;
  last_held_back_ = root;
}

void Domain::publish_through(std::uint64_t commit) noexcept {
  Root* newest = nullptr;
  while (first_held_back_ != nullptr && first_held_back_->commit() <= commit) {
    if (newest != nullptr) destroy(newest);
    newest = first_held_back_;
    first_held_back_ = std::exchange(newest->next_retired_, nullptr);
  }
  if (first_held_back_ == nullptr) last_held_back_ = nullptr;
  if (newest != nullptr) publish(newest);
}

void Domain::discard_held_back() noexcept {
  last_held_back_ = nullptr;
  while (Root* const root = first_held_back_) {
    first_held_back_ = root->next_retired_;
    destroy(root);
  }
}

void Domain::retire(Root* root) noexcept {
  root->retired_at_ = grace_begun_.load();
  (last_retired_ != nullptr ? last_retired_->next_retired_ : first_retired_) = root;
  last_retired_ = root;
  retired_count_.fetch_add(1);  // ordered before a look whether the reclaimer sleeps
}

void Domain::wait_for_readers() noexcept {
  const std::uint64_t grace = grace_begins();
  base::rcu::synchronize();
  grace_ends(grace);
}

void Domain::grace_ends(std::uint64_t number) noexcept {
  // Several threads may wait for grace periods at once and be done in another order.
  std::uint64_t ended = grace_ended_.load(std::memory_order_relaxed);
  while (ended < number && !grace_ended_.compare_exchange_weak(ended, number, std::memory_order_acq_rel)) {
  }
}

void Domain::drop_publications() noexcept {
  const std::uint64_t ended = grace_ended_.load(std::memory_order_acquire);
  while (first_retired_ != nullptr && first_retired_->retired_at_ < ended) {
    Root* const root = first_retired_;
    first_retired_ = root->next_retired_;
    if (first_retired_ == nullptr) last_retired_ = nullptr;
    root->published_ = false;
    retired_count_.fetch_sub(1, std::memory_order_relaxed);
    if (root->drop_reference()) destroy(root);
  }
}

Ref<const Root> Domain::acquire() const noexcept {
  const base::rcu::ReadSection section;
  return Ref<const Root>(peek());
}

void Domain::bury(const Root* root) noexcept {
  users_.fetch_add(1, std::memory_order_relaxed);
  const Root* head = dead_.load(std::memory_order_relaxed);
  do {
    root->next_dead_ = const_cast<Root*>(head);
  } while (!dead_.compare_exchange_weak(head, root));
  // Sequentially consistent with close(): either it sees this state on the list, or this sees that it has closed.
  if (closed_.load()) {
    const std::lock_guard lock(counts_);
    while (collect(SIZE_MAX)) {
    }
  } else {
    bell_.ring();
  }
  leave();
}

void Domain::leave() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void Domain::destroy(Root* root) noexcept {
  const tree::State state = root->state();
  heap_.let_go(state.root);
  heap_.let_go(state.links);
  (root->older_ != nullptr ? root->older_->newer_ : oldest_) = root->newer_;
  (root->newer_ != nullptr ? root->newer_->older_ : latest_) = root->older_;
  root->~Root();
  heap_.memory().free(root);
  if (--roots_ == 0 && closed_.load()) users_.fetch_sub(1, std::memory_order_acq_rel);
}

bool Domain::collect(std::size_t steps) noexcept {
  drop_publications();
  if (dead_.load(std::memory_order_relaxed) != nullptr) {
    const Root* dead = dead_.exchange(nullptr, std::memory_order_acquire);
    while (dead != nullptr) destroy(const_cast<Root*>(std::exchange(dead, dead->next_dead_)));
  }
  heap_.free_buried(steps);
  const bool more =
      heap_.has_buried() || dead_.load(std::memory_order_relaxed) != nullptr ||
      (first_retired_ != nullptr && first_retired_->retired_at_ < grace_ended_.load(std::memory_order_relaxed));
  const std::uint64_t made = heap_.counts().made;
  parts_paid_ = more ? std::min<std::uint64_t>(made, parts_paid_ + steps) : made;
  owes_.store(made - parts_paid_ > kMostOwed, std::memory_order_relaxed);
  return more;
}

void Domain::close(std::unique_ptr<Domain> domain) noexcept {
  if (domain->peek() == nullptr) return;  // it never began
  Domain* const self = domain.release();
  self->wait_for_readers();
  self->users_.fetch_add(1, std::memory_order_relaxed);
  Root* newest = nullptr;
  {
    const std::lock_guard lock(self->counts_);
    self->drop_publications();
    newest = self->newest_.exchange(nullptr);
    newest->published_ = false;
  }
  static_cast<void>(Ref<Root>::adopt(newest));  // no reader is left: the volume is gone
  self->closed_.store(true);
  {
    const std::lock_guard lock(self->counts_);
    while (self->collect(SIZE_MAX)) {
    }
  }
  self->leave();
}

VolumeCounters Domain::counters() const noexcept {
  const tree::PartCounts& counts = heap_.counts();
  VolumeCounters counters;
  counters.nodes = counts.nodes;
  counters.inodes = counts.dentries;
  counters.roots = roots_;
  counters.memory_bytes = const_cast<tree::PartHeap&>(heap_).memory().memory_bytes();
  counters.retired_roots = retired();
  counters.nodes_copied = counts.copied;
  return counters;
}

std::optional<OldestSnapshot> Domain::oldest_snapshot() const {
  for (const Root* root = oldest_; root != nullptr; root = root->newer_) {
    if (root == newest_.load(std::memory_order_relaxed)) continue;
    if (root->references() > (root->published_ ? 1U : 0U)) {
      const tree::HeldAlone held = tree::held_alone(root->state());
      return OldestSnapshot{root->commit(), std::chrono::nanoseconds(monotonic_ns() - root->made_ns_), held.inodes,
                            held.bytes};
    }
  }
  return std::nullopt;
}

}  // namespace packfs::volume
