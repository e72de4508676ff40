#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "content/encode.h"
#include "log/record.h"
#include "pack/output.h"
#include "packfs/error.h"

namespace packfs::pack {

/// Writes the records of a built pack one after another: head, alignment, content, trailer, padding (docs/format.md
/// section 2), and computes the pack id on the way. It sets form-dependent lengths itself; all other fields of a record
/// are the caller's. Borrows the output. One thread at a time.
///
/// Errors of all calls: invalid (the record's values; nothing was written); as Output.
class LogWriter {
 public:
  explicit LogWriter(Output& output) noexcept : output_(output) {}

  /// The file header; first of all.
  [[nodiscard]] Result<void> write_file_header();

  /// A record without content of its own: form none, or chained when the record says so.
  [[nodiscard]] Result<void> append(log::Record& record);
  /// A record with a run or a packed extent as its content. Returns the content's offset.
  [[nodiscard]] Result<std::uint64_t> append_run(log::Record& record, std::span<const std::byte> content);
  [[nodiscard]] Result<std::uint64_t> append_packed(log::Record& record, std::span<const std::byte> content);

  /// A run in pieces: begin_run (returns the content's offset), then add_to_run with `length` bytes in all, then
  /// end_run. Nothing else may be written between. `length` is at least 1.
  [[nodiscard]] Result<std::uint64_t> begin_run(log::Record& record, std::uint64_t length);
  [[nodiscard]] Result<void> add_to_run(std::span<const std::byte> bytes);
  /// `source_length` stands in the trailer of runs above content::kSourceLengthAbove.
  [[nodiscard]] Result<void> end_run(std::uint64_t source_length);

  [[nodiscard]] std::uint64_t offset() const noexcept { return output_.offset(); }
  /// Records written so far.
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  /// The id over the checksums of all records written so far (docs/format.md section 5).
  [[nodiscard]] std::array<std::uint8_t, 16> pack_id() const noexcept { return checksums_.digest(); }

 private:
  Result<std::uint64_t> write_head(const log::Record& record);
  Result<void> pad();
  Result<void> write_trailer();

  Output& output_;
  base::Xxh3Stream128 checksums_;
  std::uint64_t records_ = 0;
  content::RunTrailer trailer_;  // of the run that is being written in pieces
  std::vector<std::byte> head_;
  std::vector<std::byte> trailer_bytes_;
};

}  // namespace packfs::pack
