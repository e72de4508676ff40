#include "pack/output.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/io_loops.h"

namespace packfs::pack {

Output::Output(base::Io& io, int fd) : io_(io), fd_(fd), buffer_(kBufferBytes) {}

Result<void> Output::send(std::span<const std::byte> bytes) {
  auto sent = base::write_fully(io_, fd_, bytes);
  if (!sent) error_ = sent.error();
  return sent;
}

Result<void> Output::flush() {
  if (error_) return std::unexpected(*error_);
  if (filled_ == 0) return {};
  const auto pending = buffer_.span().first(filled_);
  filled_ = 0;
  return send(pending);
}

Result<void> Output::write(std::span<const std::byte> bytes) {
  if (error_) return std::unexpected(*error_);
  if (bytes.size() >= kDirectFrom) {
    if (auto flushed = flush(); !flushed) return flushed;
    if (auto sent = send(bytes); !sent) return sent;
    offset_ += bytes.size();
    return {};
  }
  if (bytes.size() > kBufferBytes - filled_) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  if (!bytes.empty()) std::memcpy(buffer_.data() + filled_, bytes.data(), bytes.size());
  filled_ += bytes.size();
  offset_ += bytes.size();
  return {};
}

Result<void> Output::write_zeros(std::uint64_t count) {
  static constexpr std::array<std::byte, 65536> kZeros{};
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(count, kZeros.size()));
    if (auto written = write(std::span(kZeros).first(piece)); !written) return written;
    count -= piece;
  }
  return {};
}

}  // namespace packfs::pack
