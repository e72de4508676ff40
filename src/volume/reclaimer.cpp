#include "volume/reclaimer.h"

#include <chrono>

namespace packfs::volume {
namespace {

/// Parts freed in one holding of the count lock: some tens of microseconds.
constexpr std::size_t kSlice = 256;
/// How long nothing must have been written before this thread takes over what the writer left.
constexpr std::chrono::milliseconds kNap{2};

}  // namespace

Reclaimer::Reclaimer(Domain& domain) : domain_(domain), thread_([this] { run(); }) {}

Reclaimer::~Reclaimer() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool Reclaimer::has_work() const noexcept { return domain_.retired() != 0 || domain_.has_dead(); }

void Reclaimer::wake() noexcept {
  if (!asleep_.load()) return;
  {
    const std::lock_guard lock(mutex_);
    asleep_.store(false);
  }
  changed_.notify_one();
}

void Reclaimer::collect_all() noexcept {
  for (bool more = true; more;) {
    const std::lock_guard lock(domain_.counts());
    more = domain_.collect(kSlice);
  }
}

void Reclaimer::drain() noexcept {
  domain_.wait_for_readers();
  collect_all();
}

void Reclaimer::run() noexcept {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!has_work()) {
        asleep_.store(true);
        // Once more: what was retired before asleep_ was set woke nobody.
        changed_.wait(lock, [&] { return stopped_ || !asleep_.load() || has_work(); });
        asleep_.store(false);
      } else {
        changed_.wait_for(lock, kNap, [&] { return stopped_; });
      }
      if (stopped_) return;
    }
    const std::uint64_t published = domain_.published();
    if (published == seen) drain();
    seen = published;
  }
}

}  // namespace packfs::volume
