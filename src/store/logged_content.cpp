#include "store/logged_content.h"

#include <utility>

namespace packfs::store {

/// False when there is no memory to be read any more.
bool LoggedContent::pin() const noexcept {
  std::uint32_t state = state_.load(std::memory_order_acquire);
  do {
    if ((state & kInFile) != 0) return false;
  } while (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire));
  return true;
}

void LoggedContent::unpin() const noexcept {
  const std::uint32_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kInFile) != 0 && (before & kPins) == 1) release_memory();
}

void LoggedContent::written(Ref<const SegmentFile> file) const noexcept {
  file_ = std::move(file);
  const std::uint32_t before = state_.fetch_or(kInFile, std::memory_order_acq_rel);
  if ((before & kPins) == 0) release_memory();
}

void LoggedContent::settle(const Ref<const SegmentFile>& file) const noexcept {
  if (!is_in_file()) written(file);
  state_.fetch_or(kDurable, std::memory_order_acq_rel);
}

bool LoggedContent::drop() const noexcept {
  if (!is_in_file()) return false;
  state_.fetch_or(kGone);
  return true;
}

Result<void> LoggedContent::present() const {
  if ((state_.load() & kGone) == 0) return {};
  return std::unexpected(Error(ErrorCode::stale).with_note("of a transaction that was dropped"));
}

Result<std::size_t> LoggedContent::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  if (pin()) {
    auto read = memory_->read(offset, buffer);
    unpin();
    return read;
  }
  auto read = file_->read(run(), offset, buffer);
  // Asked after reading: only then is it sure that nothing else was written there before.
  if (auto there = present(); !there) return std::unexpected(std::move(there.error()));
  return read;
}

Result<std::span<const std::byte>> LoggedContent::borrow() const {
  if (pin()) {
    auto bytes = memory_->borrow();
    // What was borrowed stays, as long as this: the first pin is not taken back.
    if ((state_.fetch_or(kBorrowed, std::memory_order_acq_rel) & kBorrowed) != 0) unpin();
    return bytes;
  }
  if ((state_.load(std::memory_order_acquire) & kDurable) == 0) return std::unexpected(ErrorCode::not_supported);
  return file_->borrow(run());
}

}  // namespace packfs::store
