#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/alloc.h"
#include "content/block_reader.h"
#include "content/format.h"
#include "content/run_reader.h"
#include "packfs/error.h"

namespace packfs::content {

/// One block of a packed content. Its stored bytes lie in the region; nothing else of it is known good before its
/// checksum is.
struct PackedBlockPlace {
  std::uint64_t raw_begin = 0;   ///< within the content
  std::uint64_t raw_length = 0;  ///< 1 to 2^18
  BlockCodec codec = BlockCodec::none;
  CheckedBlock stored;
  std::uint64_t checksum = 0;  ///< as the table has it
};

/// Walks the block table of a packed content (docs/format.md section 3), checking it on the way. The bytes are read
/// once: a table in changing memory cannot differ from what was checked. Borrows the source. One thread at a time.
class PackedTable {
 public:
  /// Errors: corrupt (offset of what is wrong): the raw length is not 1 to 4 MiB, the header is bad, or the table is
  /// not in the region; no_memory; an errno of pread.
  static Result<PackedTable> open(const Source& source, Region region, std::uint64_t location,
                                  std::uint64_t raw_length);

  [[nodiscard]] bool at_end() const noexcept { return raw_begin_ == raw_length_; }
  /// The next block; not at the end. Errors: corrupt, with the offset of its table element.
  [[nodiscard]] Result<PackedBlockPlace> next();
  /// Where the block after the last one returned would begin: at the end, where the content ends.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  PackedTable() = default;

  Region region_;
  std::uint64_t location_ = 0;
  std::uint64_t raw_length_ = 0;
  std::uint64_t raw_begin_ = 0;
  std::uint64_t position_ = 0;
  unsigned block_log2_ = 0;
  base::Buffer scratch_;
  std::span<const std::byte> elements_;
};

}  // namespace packfs::content
