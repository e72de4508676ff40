#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/alloc.h"
#include "content/codec.h"
#include "content/format.h"
#include "packfs/error.h"

// How contents are written; the same bytes always give the same output.
namespace packfs::content {

/// Appends `raw` (1 to kMaxExtentBytes long) to `out` as packed content: header, table, blocks of 2^block_log2 bytes,
/// each compressed unless that saves less than 1/16 of it. True when any block was compressed; otherwise a run would
/// hold the same in fewer bytes. Errors (`out` is then as it was): invalid (a level, length or block size that the
/// format does not have); no_memory.
[[nodiscard]] Result<bool> encode_packed(std::span<const std::byte> raw, int level, unsigned block_log2,
                                         Compressor& compressor, std::vector<std::byte>& out);

/// Makes the trailer of a run from its bytes as they stream by. One thread at a time.
class RunTrailer {
 public:
  void update(std::span<const std::byte> bytes);
  /// Bytes seen since the last finish().
  [[nodiscard]] std::uint64_t length() const noexcept { return length_; }
  /// Appends the trailer of all that was seen and begins anew. `source_length` is how much of it came from the source,
  /// the rest being filler: at most length(), and equal to it when that does not exceed kSourceLengthAbove.
  void finish(std::uint64_t source_length, std::vector<std::byte>& out);

 private:
  std::vector<std::uint64_t> checksums_;
  base::Buffer partial_;  // a block of which only the first length_ % kBlockBytes bytes have come
  std::uint64_t length_ = 0;
};

/// Appends the trailer of a run that is in memory as a whole, and holds all of its source.
void append_run_trailer(std::span<const std::byte> run, std::vector<std::byte>& out);

/// Bytes at the start of `bytes` that are holes: whole zero blocks of kHoleBytes. `bytes` starts at a multiple of
/// kHoleBytes in its file, so a shorter last block is data.
[[nodiscard]] std::size_t leading_hole(std::span<const std::byte> bytes) noexcept;
/// Bytes at the start of `bytes`, placed likewise, before the first hole.
[[nodiscard]] std::size_t leading_data(std::span<const std::byte> bytes) noexcept;

}  // namespace packfs::content
