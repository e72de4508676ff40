#include "content/run_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/corruption.h"

namespace packfs::content {
namespace {

CheckedBlock block_of(const Stored& run, std::uint64_t index) noexcept {
  const std::uint64_t begin = index * kBlockBytes;
  return {.offset = run.location + begin,
          .length = std::min(kBlockBytes, run.stored_length - begin),
          .checksum_offset = run.location + run.stored_length + 8 * index,
          .seed = 0};
}

}  // namespace

Result<void> RunReader::check_range(const Stored& run) const {
  const std::uint64_t length = run.stored_length;
  // Only a run long enough to carry a source length can hold more than the file.
  const bool lengths_agree = length == run.size || (length > run.size && length > kSourceLengthAbove);
  if (!lengths_agree || length > kMaxFileBytes) [[unlikely]] {
    return corrupt_at(run.location, "a run's length is not that of its file");
  }
  if (!region_.contains(run.location, length + run_trailer_bytes(length))) [[unlikely]] {
    return corrupt_at(run.location, "a run lies outside the file");
  }
  return {};
}

// The commonest read by far, with nothing in the way but its checks. What fails one of them is left to the general
// path, which knows what to say about it.
bool RunReader::read_small(const Stored& run, std::uint64_t offset, std::span<std::byte> buffer) const noexcept {
  if (!source_.mapped() || run.size > kAlwaysVerifiedBytes || run.stored_length != run.size ||
      !region_.contains(run.location, run.size + 8)) {
    return false;
  }
  const std::byte* content = source_.base() + run.location;
  if (base::xxh3({content, run.size}) != base::load_le<std::uint64_t>(content + run.size)) return false;
  std::memcpy(buffer.data(), content + offset, buffer.size());
  return true;
}

Result<std::size_t> RunReader::read(const Stored& run, std::uint64_t offset, std::span<std::byte> buffer) const {
  if (offset >= run.size || buffer.empty()) return 0;
  const std::size_t count = std::min<std::uint64_t>(buffer.size(), run.size - offset);
  if (read_small(run, offset, buffer.first(count))) [[likely]] {
    return count;
  }
  if (auto fits = check_range(run); !fits) [[unlikely]] {
    return std::unexpected(fits.error());
  }
  std::size_t done = 0;
  while (done < count) {
    const CheckedBlock block = block_of(run, (offset + done) / kBlockBytes);
    const std::uint64_t from = (offset + done) % kBlockBytes;
    const std::size_t part = std::min<std::uint64_t>(count - done, block.length - from);
    if (auto copied = blocks_.read(block, from, buffer.subspan(done, part)); !copied) [[unlikely]] {
      return std::unexpected(copied.error());
    }
    done += part;
  }
  return count;
}

Result<std::span<const std::byte>> RunReader::borrow(const Stored& run) const {
  if (auto fits = check_range(run); !fits) return std::unexpected(fits.error());
  for (std::uint64_t begin = 0; begin < run.size; begin += kBlockBytes) {
    if (auto good = blocks_.verify_mapped(block_of(run, begin / kBlockBytes)); !good) {
      return std::unexpected(good.error());
    }
  }
  return std::span(source_.base() + run.location, run.size);
}

Result<void> RunReader::verify(const Stored& run) const {
  if (auto fits = check_range(run); !fits) return fits;
  base::Buffer scratch;
  for (std::uint64_t begin = 0; begin < run.stored_length; begin += kBlockBytes) {
    if (auto good = blocks_.load(block_of(run, begin / kBlockBytes), scratch); !good) {
      return std::unexpected(good.error());
    }
  }
  if (run.stored_length <= kSourceLengthAbove) return {};
  const std::uint64_t at = run.location + run.stored_length + run_trailer_bytes(run.stored_length) - 8;
  std::array<std::byte, 8> source_length;
  if (auto copied = source_.copy(at, source_length); !copied) return copied;
  if (base::load_le<std::uint64_t>(source_length.data()) != run.size) {
    return corrupt_at(at, "a run's source length is not its file's size");
  }
  return {};
}

}  // namespace packfs::content
