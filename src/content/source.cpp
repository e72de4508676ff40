#include "content/source.h"

#include <sys/mman.h>

#include <cstring>

#include "base/bytes.h"
#include "base/io_loops.h"
#include "content/corruption.h"

namespace packfs::content {
namespace {

// What an empty file is "mapped" to: mmap refuses a length of 0, and mapped() must still be true.
constexpr std::byte kEmptyMapping{};

}  // namespace

std::unexpected<Error> corrupt_at(std::uint64_t offset, std::string_view note) {
  return std::unexpected(Error(ErrorCode::corrupt).with_offset(offset).with_note(note));
}

Source::Source(base::Io& io, base::unique_fd fd, std::uint64_t length) noexcept
    : io_(io), fd_(std::move(fd)), length_(length) {}

Result<std::unique_ptr<Source>> Source::open(base::Io& io, base::unique_fd fd, std::uint64_t length, bool map) {
  std::unique_ptr<Source> source(new Source(io, std::move(fd), length));
  if (!map) return source;
  if (length == 0) {
    source->base_ = &kEmptyMapping;
    return source;
  }
  void* address = nullptr;
  const auto mapped = base::checked(io.mmap(length, source->fd_.get(), 0, &address));
  if (!mapped) return std::unexpected(mapped.error());
  source->base_ = static_cast<const std::byte*>(address);
  source->fd_.reset();
  return source;
}

Source::~Source() {
  if (base_ != nullptr && length_ != 0) io_.munmap(const_cast<std::byte*>(base_), length_);
}

Result<std::span<const std::byte>> Source::at(std::uint64_t offset, std::uint64_t length, base::Buffer& scratch) const {
  if (!base::range_fits(offset, length, length_)) return corrupt_at(offset, "the range is not within the file");
  if (base_ != nullptr) return std::span(base_ + offset, length);
  return copy(offset, length, scratch);
}

Result<std::span<const std::byte>> Source::copy(std::uint64_t offset, std::uint64_t length,
                                                base::Buffer& scratch) const {
  if (!base::range_fits(offset, length, length_)) return corrupt_at(offset, "the range is not within the file");
  if (scratch.size() < length) {
    scratch = base::Buffer::try_make(length);
    if (!scratch) return std::unexpected(ErrorCode::no_memory);
  }
  const auto bytes = scratch.span().first(length);
  if (auto copied = copy(offset, bytes); !copied) return std::unexpected(copied.error());
  return bytes;
}

Result<void> Source::copy(std::uint64_t offset, std::span<std::byte> buffer) const {
  if (!base::range_fits(offset, buffer.size(), length_)) {
    return corrupt_at(offset, "the range is not within the file");
  }
  if (buffer.empty()) return {};
  if (base_ != nullptr) {
    std::memcpy(buffer.data(), base_ + offset, buffer.size());
    return {};
  }
  const auto count = base::pread_fully(io_, fd_.get(), buffer, offset);
  if (!count) return std::unexpected(count.error());
  if (*count != buffer.size()) return corrupt_at(offset + *count, "the file has shrunk");
  return {};
}

}  // namespace packfs::content
