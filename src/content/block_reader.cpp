#include "content/block_reader.h"

#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "content/corruption.h"

namespace packfs::content {
namespace {

constexpr std::uint64_t kChecksumBytes = 8;

Result<void> compare(const CheckedBlock& block, std::span<const std::byte> bytes, std::uint64_t checksum) {
  if (base::xxh3(bytes, block.seed) == checksum) [[likely]] {
    return {};
  }
  return corrupt_at(block.offset, "content does not match its checksum");
}

}  // namespace

Result<void> BlockReader::hash_mapped(const CheckedBlock& block) const {
  const std::byte* base = source_.base();
  auto good =
      compare(block, {base + block.offset, block.length}, base::load_le<std::uint64_t>(base + block.checksum_offset));
  if (good && block.length > kAlwaysVerifiedBytes) verified_.set(block.checksum_offset);
  return good;
}

Result<void> BlockReader::check(const CheckedBlock& block, std::span<const std::byte> bytes) const {
  std::array<std::byte, kChecksumBytes> checksum;
  if (auto copied = source_.copy(block.checksum_offset, checksum); !copied) return copied;
  return compare(block, bytes, base::load_le<std::uint64_t>(checksum.data()));
}

Result<std::span<const std::byte>> BlockReader::load(const CheckedBlock& block, base::Buffer& scratch) const {
  std::array<std::byte, kChecksumBytes> checksum;
  if (auto copied = source_.copy(block.checksum_offset, checksum); !copied) return std::unexpected(copied.error());
  return load(block, base::load_le<std::uint64_t>(checksum.data()), scratch);
}

Result<std::span<const std::byte>> BlockReader::load(const CheckedBlock& block, std::uint64_t checksum,
                                                     base::Buffer& scratch) const {
  auto bytes = source_.at(block.offset, block.length, scratch);
  if (!bytes) return bytes;
  if (auto good = compare(block, *bytes, checksum); !good) return std::unexpected(good.error());
  return bytes;
}

Result<void> BlockReader::read_unmapped(const CheckedBlock& block, std::uint64_t from,
                                        std::span<std::byte> buffer) const {
  if (block.length <= kAlwaysVerifiedBytes) return read_small(block, from, buffer);
  if (buffer.size() != block.length) return read_part(block, from, buffer);
  if (auto copied = source_.copy(block.offset, buffer); !copied) return copied;
  return check(block, buffer);
}

Result<void> BlockReader::read_part(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const {
  const auto held = held_.take(block);
  if (held->block != block) {
    held->block = {};
    if (auto loaded = load(block, held->bytes); !loaded) return std::unexpected(std::move(loaded.error()));
    held->block = block;
  }
  std::memcpy(buffer.data(), held->bytes.data() + from, buffer.size());
  return {};
}

// The usual small content has its checksum right behind it: one pread fetches both.
Result<void> BlockReader::read_small(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const {
  std::array<std::byte, kAlwaysVerifiedBytes + kChecksumBytes> both;
  const bool adjacent = block.checksum_offset == block.offset + block.length;
  const std::span bytes(both.data(), block.length);
  const std::span fetched(both.data(), block.length + (adjacent ? kChecksumBytes : 0));
  if (auto copied = source_.copy(block.offset, fetched); !copied) return copied;
  auto good =
      adjacent ? compare(block, bytes, base::load_le<std::uint64_t>(both.data() + block.length)) : check(block, bytes);
  if (good) std::memcpy(buffer.data(), bytes.data() + from, buffer.size());
  return good;
}

}  // namespace packfs::content
