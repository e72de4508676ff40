#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "content/format.h"
#include "content/source.h"
#include "packfs/error.h"

namespace packfs::content {

/// A content that lies in a Source, as an index entry or a record describes it. Nothing in it is trusted.
struct Stored {
  Form form = Form::none;
  std::uint64_t size = 0;           ///< bytes of the file
  std::uint64_t location = 0;       ///< run, packed: where the content begins; chained: where the extent map's does
  std::uint64_t stored_length = 0;  ///< run: bytes before its trailer (at least `size`); chained: bytes of the map
};

/// Reads contents of one Source, verifying each block the first time it is touched, decoding packed ones.
/// Nothing outside [begin, end) of the source is read. Borrows the source. Threads: all calls from any thread.
class StoredReader {
 public:
  /// Contents must lie in [begin, end). Errors: no_memory.
  static Result<std::unique_ptr<StoredReader>> make(const Source& source, std::uint64_t begin, std::uint64_t end);
  ~StoredReader();

  /// Verified bytes from `offset` on; fewer than asked only at the end, 0 behind it. Holes read as zeros.
  /// Errors: corrupt with the offset in the source (checksum, structure, range); an errno of pread; no_memory.
  [[nodiscard]] Result<std::size_t> read(const Stored& stored, std::uint64_t offset, std::span<std::byte> buffer) const;

  /// All of a run in a mapped source, verified, without a copy. Errors: not_supported (not a run, or not mapped); as
  /// read().
  [[nodiscard]] Result<std::span<const std::byte>> borrow(const Stored& stored) const;

  /// The next stretch of data (no hole) from `offset` on; begin == end == size when there is none.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Result<Range> next_data(const Stored& stored, std::uint64_t offset) const;

  /// Checks everything the content consists of, whether or not it was verified before; holes cost nothing.
  [[nodiscard]] Result<void> verify(const Stored& stored) const;

 private:
  class Impl;
  explicit StoredReader(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace packfs::content
