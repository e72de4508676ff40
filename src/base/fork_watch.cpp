#include "base/fork_watch.h"

#include <pthread.h>

#include <mutex>

namespace packfs::base {

/// All of them in the process. Its mutex is held over fork(), so that the child finds the list whole.
struct ForkWatch::Registry {
  std::mutex mutex;
  ForkWatch* first = nullptr;

  Registry() {
    ::pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                     [] {
                       mark_all();
                       registry().mutex.unlock();
                     });
  }
  static Registry& registry() {
    // Never destroyed: a fork may come from a static object's destructor.
    static auto* const all = new Registry;
    return *all;
  }
};

ForkWatch::ForkWatch() {
  Registry& all = Registry::registry();
  const std::lock_guard lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

ForkWatch::~ForkWatch() {
  Registry& all = Registry::registry();
  const std::lock_guard lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void ForkWatch::mark_all() noexcept {
  for (ForkWatch* watch = Registry::registry().first; watch != nullptr; watch = watch->next_) {
    if (!watch->is_forked_.exchange(true, std::memory_order_relaxed)) watch->in_child();
  }
}

}  // namespace packfs::base
