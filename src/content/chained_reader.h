#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "content/packed_reader.h"
#include "content/run_reader.h"
#include "content/stored.h"

namespace packfs::content {

/// Reads contents of form chained: extents found through a map, zeros between them. Borrows the readers of the other
/// forms. Threads: any. Errors: as StoredReader's.
class ChainedReader {
 public:
  ChainedReader(const RunReader& runs, const PackedReader& packed) noexcept : runs_(runs), packed_(packed) {}

  [[nodiscard]] Result<std::size_t> read(const Stored& chained, std::uint64_t offset,
                                         std::span<std::byte> buffer) const;
  /// Neighbouring extents without a gap count as one stretch, however many they are.
  [[nodiscard]] Result<StoredReader::Range> next_data(const Stored& chained, std::uint64_t offset) const;
  /// The map's checksums, every element and every extent.
  [[nodiscard]] Result<void> verify(const Stored& chained) const;

 private:
  const RunReader& runs_;
  const PackedReader& packed_;
};

}  // namespace packfs::content
