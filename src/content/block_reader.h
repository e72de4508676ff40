#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/alloc.h"
#include "content/checked_block.h"
#include "content/held_blocks.h"
#include "content/source.h"
#include "content/verified_bits.h"
#include "packfs/error.h"

namespace packfs::content {

/// Contents up to this long are hashed at every read: that costs less than a cache miss in the verified bits.
inline constexpr std::uint64_t kAlwaysVerifiedBytes = 512;

/// Reads plain blocks. Of a mapped source each is verified when it is first touched, of any other whenever it is read:
/// the file may have changed. Borrows all it is made of. Threads: any.
/// Errors of all calls: corrupt (the block's offset: its bytes are not those the checksum was made of); no_memory; an
/// errno of pread.
class BlockReader {
 public:
  BlockReader(const Source& source, const VerifiedBits& verified) noexcept : source_(source), verified_(verified) {}

  /// Copies the block's bytes from `from` on; `buffer` must not reach beyond the block.
  [[nodiscard]] Result<void> read(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const {
    if (source_.mapped()) [[likely]] {
      if (auto good = verify_mapped(block); !good) [[unlikely]] {
        return good;
      }
      std::memcpy(buffer.data(), source_.base() + block.offset + from, buffer.size());
      return {};
    }
    return read_unmapped(block, from, buffer);
  }

  /// Verifies a block of a mapped source unless that was done before.
  [[nodiscard]] Result<void> verify_mapped(const CheckedBlock& block) const {
    if (block.length > kAlwaysVerifiedBytes && verified_.test(block.checksum_offset)) return {};
    return hash_mapped(block);
  }

  /// All of the block, hashed now whatever was done before; valid until `scratch` changes.
  [[nodiscard]] Result<std::span<const std::byte>> load(const CheckedBlock& block, base::Buffer& scratch) const;
  /// The same for a caller who has read the checksum already.
  [[nodiscard]] Result<std::span<const std::byte>> load(const CheckedBlock& block, std::uint64_t checksum,
                                                        base::Buffer& scratch) const;

 private:
  Result<void> hash_mapped(const CheckedBlock& block) const;
  Result<void> read_unmapped(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const;
  Result<void> read_part(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const;
  Result<void> read_small(const CheckedBlock& block, std::uint64_t from, std::span<std::byte> buffer) const;
  Result<void> check(const CheckedBlock& block, std::span<const std::byte> bytes) const;

  const Source& source_;
  const VerifiedBits& verified_;
  mutable HeldBlocks held_;
};

}  // namespace packfs::content
