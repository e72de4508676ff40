#include "host/import_queue.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>

namespace packfs::host {

namespace {

// Signals are the host program's: while this lives, threads are made that take none.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

ImportQueue::ImportQueue(Walk& walk, const EntryLoader& loader, unsigned threads, std::uint64_t helpers_after)
    : walk_(walk), loader_(loader), helpers_wanted_(std::max(threads, 1U) - 1), helpers_after_(helpers_after) {}

ImportQueue::~ImportQueue() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  helper_.notify_all();
  room_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

Result<WalkStep*> ImportQueue::next() {
  if (helpers_.size() < helpers_wanted_ && weight_ >= helpers_after_) start_helpers();
  Lock lock(mutex_);
  if (has_current_) drop_current(lock);
  while (true) {
    if (out_of_memory_) return std::unexpected(ErrorCode::no_memory);
    if (!steps_.empty()) break;
    if (walk_ended_) return nullptr;
    if (!walking_) {
      walk_one(lock);
    } else {
      caller_.wait(lock);
    }
  }
  has_current_ = true;
  const WalkStep& step = steps_.front()->walk;
  weight_ += step.end - step.begin + (step.kind == WalkStep::Kind::enter ? kDirectoryWeight : 0);
  helper_.notify_all();
  // What is now the caller's next entry may be read whatever room there is.
  if (waiting_for_room_ > 0) room_.notify_all();
  return &steps_.front()->walk;
}

void ImportQueue::drop_current(Lock& lock) {
  Step& step = *steps_.front();
  step.abandoned = true;
  if (waiting_for_room_ > 0) room_.notify_all();
  while (step.busy && !out_of_memory_) caller_.wait(lock);
  if (out_of_memory_) return;
  for (std::size_t i = step.taken; i < step.ready; ++i) waiting_bytes_ -= step.entries[i].content.size();
  const std::unique_ptr<Step> dropped = std::move(steps_.front());
  steps_.pop_front();
  has_current_ = false;
}

Result<LoadedEntry> ImportQueue::take(std::size_t index) {
  Lock lock(mutex_);
  Step& step = *steps_.front();
  const std::size_t position = index - step.walk.begin;
  if (step.reader == Reader::nobody) step.reader = Reader::caller;
  if (step.reader == Reader::caller) {
    lock.unlock();
    return loader_.probe(step.walk.handle->get(), step.walk.names->c_str(index));
  }
  while (step.ready <= position && !out_of_memory_) caller_.wait(lock);
  if (step.ready <= position) return std::unexpected(ErrorCode::no_memory);
  LoadedEntry entry = std::move(step.entries[position]);
  step.taken = position + 1;
  waiting_bytes_ -= entry.content.size();
  if (waiting_for_room_ > 0) room_.notify_all();
  return entry;
}

void ImportQueue::start_helpers() {
  const SignalsBlocked blocked;
  try {
    while (helpers_.size() < helpers_wanted_) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are, or the caller alone, do the same work.
    helpers_wanted_ = helpers_.size();
  }
}

void ImportQueue::help() {
  try {
    Lock lock(mutex_);
    help_until_done(lock);
  } catch (const std::bad_alloc&) {
    const Lock lock(mutex_);
    out_of_memory_ = true;
    stopping_ = true;
    caller_.notify_all();
    helper_.notify_all();
    room_.notify_all();
  }
}

void ImportQueue::help_until_done(Lock& lock) {
  while (!stopping_) {
    if (Step* step = unread_step()) {
      read_step(lock, *step);
    } else if (may_walk()) {
      walk_one(lock);
    } else if (walk_ended_) {
      return;
    } else {
      helper_.wait(lock);
    }
  }
}

// Walks one step without the lock, as the only thread that does.
void ImportQueue::walk_one(Lock& lock) {
  walking_ = true;
  lock.unlock();
  std::unique_ptr<Step> added;
  if (std::optional<WalkStep> step = walk_.next()) {
    added = std::make_unique<Step>();
    added->walk = std::move(*step);
  }
  lock.lock();
  walking_ = false;
  walk_ended_ = added == nullptr;
  if (added) steps_.push_back(std::move(added));
  caller_.notify_all();
  helper_.notify_all();
}

void ImportQueue::read_step(Lock& lock, Step& step) {
  const std::size_t count = step.walk.end - step.walk.begin;
  step.reader = Reader::helper;
  step.entries.reserve(count);
  step.busy = true;
  for (std::size_t i = 0; i < count; ++i) {
    wait_for_room(lock, step, i);
    if (stopping_ || step.abandoned) break;
    lock.unlock();
    const char* name = step.walk.names->c_str(step.walk.begin + i);
    LoadedEntry entry = loader_.load_ahead(step.walk.handle->get(), name);
    lock.lock();
    waiting_bytes_ += entry.content.size();
    step.entries.push_back(std::move(entry));
    step.ready = i + 1;
    caller_.notify_all();
  }
  step.busy = false;
  caller_.notify_all();
}

void ImportQueue::wait_for_room(Lock& lock, const Step& step, std::size_t index) {
  // The entry that the caller takes next is always read: otherwise both would wait for ever.
  const auto may_read = [&] {
    return stopping_ || step.abandoned || waiting_bytes_ < kMaxBytes ||
           (&step == steps_.front().get() && step.taken == index);
  };
  ++waiting_for_room_;
  room_.wait(lock, may_read);
  --waiting_for_room_;
}

ImportQueue::Step* ImportQueue::unread_step() const {
  for (const std::unique_ptr<Step>& step : steps_) {
    if (step->reader == Reader::nobody && step->walk.begin != step->walk.end) return step.get();
  }
  return nullptr;
}

}  // namespace packfs::host
