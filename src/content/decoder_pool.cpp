#include "content/decoder_pool.h"

#include <algorithm>

namespace packfs::content {

DecoderPool::DecoderPool() { idle_.reserve(kMostIdle); }

Result<DecoderPool::Lease> DecoderPool::take(std::uint64_t wanted) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      const auto holder = std::ranges::find_if(idle_, [&](const auto& decoder) { return decoder->holds == wanted; });
      if (holder != idle_.end()) std::swap(*holder, idle_.back());
      auto decoder = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(decoder));
    }
  }
  auto decompressor = Decompressor::make();
  if (!decompressor) return std::unexpected(decompressor.error());
  return Lease(*this, std::make_unique<Decoder>(std::move(*decompressor)));
}

void DecoderPool::give_back(std::unique_ptr<Decoder> decoder) noexcept {
  // One that finds no room is destroyed after the lock is released: it is the caller's argument.
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(decoder));
}

}  // namespace packfs::content
