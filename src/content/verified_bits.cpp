#include "content/verified_bits.h"

#include <utility>

#include "base/io_loops.h"

namespace packfs::content {

Result<VerifiedBits> VerifiedBits::make(base::Io& io, std::uint64_t begin, std::uint64_t end) {
  const std::size_t bytes = ((end - begin) / 512 + 1) * sizeof(std::uint64_t);
  void* address = nullptr;
  if (auto mapped = base::checked(io.mmap(bytes, -1, 0, &address)); !mapped) return std::unexpected(mapped.error());
  return VerifiedBits(io, begin, static_cast<std::uint64_t*>(address), bytes);
}

VerifiedBits::VerifiedBits(VerifiedBits&& other) noexcept
    : io_(other.io_), begin_(other.begin_), words_(std::exchange(other.words_, nullptr)), bytes_(other.bytes_) {}

VerifiedBits::~VerifiedBits() {
  if (words_ != nullptr) io_.munmap(words_, bytes_);
}

}  // namespace packfs::content
