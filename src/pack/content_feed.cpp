#include "pack/content_feed.h"

#include <algorithm>

#include "content/format.h"

namespace packfs::pack {

namespace {

std::uint64_t limit_of(const tree::ContentSource& source) {
  if (source.in_memory()) return source.bytes().size();
  if (source.rereadable()) return std::min(source.expected_size(), content::kMaxFileBytes);
  return content::kMaxFileBytes;
}

}  // namespace

ContentFeed::ContentFeed(tree::ContentSource& source, base::Buffer& buffer) noexcept
    : source_(source),
      buffer_(buffer),
      limit_(limit_of(source)),
      is_rewindable_(source.in_memory() || source.rereadable()) {}

Result<std::size_t> ContentFeed::fill(std::uint64_t offset, std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const auto got = source_.read(offset + filled, buffer.subspan(filled));
    if (!got) return got;
    if (*got > buffer.size() - filled) return std::unexpected(Error(ErrorCode::invalid).with_note("source overran"));
    if (*got == 0) break;
    filled += *got;
  }
  return filled;
}

Result<std::span<const std::byte>> ContentFeed::first() {
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(limit_, kWindowBytes));
  auto window = read(0, length);
  if (!window) return window;
  is_whole_ = window->size() < length || limit_ <= kWindowBytes;
  if (is_rewindable_) return window;
  held_ = window->size();
  if (!is_whole_) {
    const auto more = fill(held_, {&ahead_, 1});
    if (!more) return std::unexpected(more.error());
    has_ahead_ = *more == 1;
    is_whole_ = !has_ahead_;
  }
  return window;
}

Result<std::span<const std::byte>> ContentFeed::read(std::uint64_t offset, std::size_t length) {
  if (source_.in_memory()) {
    const auto bytes = source_.bytes();
    const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes.size()));
    return bytes.subspan(begin, std::min(length, bytes.size() - begin));
  }
  if (!buffer_) buffer_ = base::Buffer(kWindowBytes);
  if (held_ != 0 && offset == 0) {
    const auto window = buffer_.span().first(held_);
    held_ = 0;
    return window;
  }
  std::size_t filled = 0;
  if (has_ahead_) {
    buffer_.data()[filled++] = ahead_;
    has_ahead_ = false;
  }
  const auto got = fill(offset + filled, buffer_.span().subspan(filled, length - filled));
  if (!got) return std::unexpected(got.error());
  return buffer_.span().first(filled + *got);
}

Result<std::uint64_t> ContentFeed::next_data(std::uint64_t offset) {
  if (source_.in_memory() || !is_rewindable_) return offset;
  const auto next = source_.next_data(offset);
  if (!next) return next;
  return std::clamp(*next, offset, std::max(offset, limit_));
}

}  // namespace packfs::pack
