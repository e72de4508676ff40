#include "volume/reclaimer.h"

#include <chrono>

namespace packfs::volume {
namespace {

/// How long nothing must have been written before this thread takes over what the writer left.
constexpr std::chrono::milliseconds kNap{2};

}  // namespace

Reclaimer::Reclaimer(Domain& domain) : domain_(domain), thread_([this] { run(); }) {}

Reclaimer::~Reclaimer() {
  domain_.bell().end();
  thread_.join();
}

bool Reclaimer::has_work() const noexcept { return domain_.retired() != 0 || domain_.has_dead(); }

void Reclaimer::collect_all() noexcept {
  for (bool more = true; more;) {
    const std::lock_guard lock(domain_.counts());
    more = domain_.collect(Domain::kSlice);
  }
}

void Reclaimer::drain() noexcept {
  domain_.wait_for_readers();
  collect_all();
}

void Reclaimer::run() noexcept {
  std::uint64_t seen = 0;  // commits when it looked last
  for (;;) {
    if (has_work()) {
      domain_.bell().nap(kNap);
    } else {
      domain_.bell().sleep([&] { return has_work(); });
    }
    if (domain_.bell().has_ended()) return;
    const std::uint64_t published = domain_.published();
    if (published == seen) drain();
    seen = published;
  }
}

}  // namespace packfs::volume
