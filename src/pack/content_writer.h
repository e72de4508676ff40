#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/alloc.h"
#include "content/codec.h"
#include "content/format.h"
#include "content/stored.h"
#include "log/record.h"
#include "pack/content_feed.h"
#include "pack/log_writer.h"
#include "packfs/error.h"
#include "packfs/pack_builder.h"
#include "tree/sink.h"

namespace packfs::pack {

/// Stores files' contents in the log, each in the form that suits it:
///
/// | content | codec none | codec zstd |
/// |---|---|---|
/// | empty | none | none |
/// | a hole in it | chained | chained |
/// | up to 1 MiB | run | packed when that saves, else run |
/// | longer, in memory or rereadable | run, scanned for holes first | chained; as none when samples do not compress |
/// | longer, a stream | chained | chained |
///
/// Chained content is cut at holes and at multiples of 1 MiB, so that its extents depend on the bytes alone. Memory: a
/// window of 1 MiB, as much again for compression, 24 bytes for each extent and 8 for each block of the one content
/// that is being written. Borrows the log. One thread at a time.
class ContentWriter {
 public:
  /// Errors: no_memory.
  static Result<ContentWriter> make(LogWriter& log, const Codec& codec);

  /// Writes the put record with its content. A source that shrinks while it is read is stored as far as it went, the
  /// rest of a run being filler; what it grows beyond its expected size is left out.
  /// Errors: those of the source, after which the log holds nothing of the file that counts; as LogWriter.
  [[nodiscard]] Result<content::Stored> store(log::Record& record, tree::ContentSource& source);

 private:
  ContentWriter(LogWriter& log, const Codec& codec) noexcept : log_(&log), codec_(codec) {}

  Result<content::Stored> store_small(log::Record& record, std::span<const std::byte> bytes);
  Result<content::Stored> store_run(log::Record& record, ContentFeed& feed);
  Result<content::Stored> store_chain(log::Record& record, ContentFeed& feed, bool compress);
  Result<content::Stored> end_chain(std::uint64_t size);
  Result<void> write_extents(std::uint64_t offset, std::span<const std::byte> window, bool compress);
  Result<void> write_extent(std::uint64_t offset, std::span<const std::byte> data, bool compress);
  Result<bool> find_hole(ContentFeed& feed);
  Result<bool> compressible(ContentFeed& feed, std::span<const std::byte> first);
  Result<bool> compressible(std::span<const std::byte> bytes);
  Result<std::span<const std::byte>> packed(std::span<const std::byte> raw);

  LogWriter* log_;
  Codec codec_;
  std::optional<content::Compressor> compressor_;  // codec zstd only
  base::Buffer window_;
  std::vector<std::byte> packed_;
  std::vector<content::ExtentMapElement, base::Allocator<content::ExtentMapElement>> map_;
};

}  // namespace packfs::pack
