#include "content/held_blocks.h"

#include <algorithm>

namespace packfs::content {

HeldBlocks::Lease HeldBlocks::take(const CheckedBlock& wanted) {
  std::unique_ptr<HeldBlock> held;
  {
    const std::lock_guard lock(mutex_);
    auto chosen = std::ranges::find_if(idle_, [&](const auto& each) { return each->block == wanted; });
    // Otherwise the one that was used longest ago, once there are as many as are kept.
    if (chosen == idle_.end() && idle_.size() == kMostIdle) chosen = idle_.begin();
    if (chosen != idle_.end()) {
      held = std::move(*chosen);
      idle_.erase(chosen);
    }
  }
  if (!held) held = std::make_unique<HeldBlock>();
  return {*this, std::move(held)};
}

void HeldBlocks::give_back(std::unique_ptr<HeldBlock> held) noexcept {
  // One that finds no room is destroyed after the lock is released: it is the caller's argument.
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(held));
}

}  // namespace packfs::content
