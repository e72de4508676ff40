#include "volume/pipeline.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace packfs::volume {
namespace {

/// Failures of a write after which the log is as it was and the next one may succeed.
bool leaves_all_well(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::no_space:
    case ErrorCode::too_large:
    case ErrorCode::no_memory:
    case ErrorCode::invalid:
    case ErrorCode::too_many_open_files:
      return true;
    default:
      return code == ErrorCode{EDQUOT} || code == ErrorCode{ENFILE};
  }
}

}  // namespace

Pipeline::Pipeline(Domain& domain, std::unique_ptr<Journal> journal, std::uint64_t last_commit) noexcept
    : domain_(domain),
      journal_(std::move(journal)),
      published_(last_commit),
      durable_(last_commit),
      written_(last_commit) {}

Result<void> Pipeline::check() const {
  if (!poisoned_.load(std::memory_order_acquire)) [[likely]] {
    return journal_->usable();
  }
  const std::lock_guard lock(mutex_);
  return std::unexpected(*failed_);
}

void Pipeline::poison(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_told = error.code() == ErrorCode::poisoned;
    if (!failed_) {
      failed_ = is_told ? error : Error(ErrorCode::poisoned).with_path(error.path()).with_note(error.message());
    }
    poisoned_.store(true, std::memory_order_release);
  }
  const std::lock_guard lock(domain_.counts());
  domain_.discard_held_back();
}

Result<void> Pipeline::add(tree::Operation& operation, const log::Setting& setting) {
  if (auto good = check(); !good) return good;
  auto added = journal_->add(operation, setting);
  if (!added && (!leaves_all_well(added.error().code()) || !journal_->usable())) poison(added.error());
  return added;
}

Result<void> Pipeline::write(Root* root, std::uint64_t commit, Durability durability) {
  if (journal_->must_be_durable()) durability = Durability::sync;
  auto done = check();
  bool bad = false;
  if (done) {
    done = journal_->commit(commit);
    bad = !done && !leaves_all_well(done.error().code());
  }
  bool shown = false;
  {
    const std::lock_guard lock(domain_.counts());
    // One that failed meanwhile has dropped what this goes on from.
    if (done) done = check();
    if (!done) {
      domain_.discard(root);
    } else {
      written_.store(commit, std::memory_order_relaxed);
      shown = durability == Durability::async && !domain_.holds_back();
      if (shown) {
        domain_.publish(root);
      } else {
        domain_.hold_back(root);
      }
    }
  }
  if (shown) {
    const std::lock_guard lock(mutex_);
    published_ = std::max(published_, commit);
  }
  if (bad) poison(done.error());
  return done;
}

Result<void> Pipeline::wait(std::uint64_t commit) { return lead_until(published_, commit); }
Result<void> Pipeline::sync() {
  if (auto good = check(); !good) return good;
  return lead_until(durable_, written_.load(std::memory_order_relaxed));
}

Result<void> Pipeline::lead_until(const std::uint64_t& reached, std::uint64_t commit) {
  std::unique_lock lock(mutex_);
  while (reached < commit) {
    if (failed_) return std::unexpected(*failed_);
    if (leading_) {
      led_.wait(lock);
    } else {
      lead(lock);
    }
  }
  return {};
}

/// Those that the last sync took along are about to write again: a sync that begins before they have makes them wait
/// for the next one. Gives them the processor, if there are any, a few times.
void Pipeline::gather(std::uint64_t goal) const noexcept {
  for (int i = 0; i < kMostYields && written_.load(std::memory_order_relaxed) < goal; ++i) std::this_thread::yield();
}

void Pipeline::lead(std::unique_lock<std::mutex>& lock) {
  leading_ = true;
  const std::uint64_t before = durable_;
  const std::uint64_t goal = before + led_along_;
  lock.unlock();
  gather(goal);
  const auto synced = journal_->sync();
  std::uint64_t covered = 0;
  if (synced) {
    const std::lock_guard counts(domain_.counts());
    // A commit may be in the journal, and durable, before its state is held back: it is published by the next to lead.
    // What a write that failed meanwhile has dropped, or is about to, is not published, however durable.
    if (!poisoned_.load(std::memory_order_relaxed))
      covered = std::min(*synced, written_.load(std::memory_order_relaxed));
    domain_.publish_through(covered);
  } else {
    poison(synced.error());
  }
  lock.lock();
  leading_ = false;
  if (covered > before) led_along_ = covered - before;
  durable_ = std::max(durable_, covered);
  published_ = std::max(published_, covered);
  led_.notify_all();
}

}  // namespace packfs::volume
