#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "content/block_reader.h"
#include "content/decoder_pool.h"
#include "content/packed_table.h"
#include "content/run_reader.h"
#include "content/stored.h"

namespace packfs::content {

/// Reads contents of form packed (docs/format.md section 3): a read decodes the blocks it touches and no others. Only
/// `size` and `location` of a Stored count. Borrows the source. Threads: any. Errors: as StoredReader's, and
/// unsupported_version (a codec this version does not have).
class PackedReader {
 public:
  PackedReader(const Source& source, const VerifiedBits& verified, Region region) noexcept
      : source_(source), blocks_(source, verified), region_(region) {}

  [[nodiscard]] Result<std::size_t> read(const Stored& packed, std::uint64_t offset, std::span<std::byte> buffer) const;
  /// Hashes and decodes every block anew.
  [[nodiscard]] Result<void> verify(const Stored& packed) const;

 private:
  [[nodiscard]] Result<void> read_block(const PackedBlockPlace& place, std::uint64_t from,
                                        std::span<std::byte> buffer) const;
  [[nodiscard]] Result<void> decode(const PackedBlockPlace& place, Decoder& decoder, std::span<std::byte> raw) const;
  [[nodiscard]] Result<void> decode_into(const PackedBlockPlace& place, Decoder& decoder) const;

  const Source& source_;
  BlockReader blocks_;
  Region region_;
  mutable DecoderPool decoders_;
};

}  // namespace packfs::content
