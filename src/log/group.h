#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "log/operation_record.h"
#include "packfs/error.h"

namespace packfs::log {

/// The records of one commit, encoded for the place in a segment where they will stand. One thread at a time.
///
/// Errors: invalid (a value the format does not have: an xattr list or a path that is too long); no_memory.
class Group {
 public:
  /// Begins anew at `offset` of segment `segment_id`, a multiple of 8.
  void begin(std::uint64_t segment_id, std::uint64_t offset) noexcept;
  /// Adds what an operation says. When it fails, nothing was added.
  Result<void> add(const tree::Operation& operation, const Setting& setting);
  /// add() without the content: its head, up to where the content goes, which is then end().
  Result<void> begin_large(const tree::Operation& operation, const Setting& setting);
  /// The content was written at end(): what stands behind it.
  Result<void> end_large(std::span<const std::byte> content);
  /// Adds a record that stands elsewhere, with its content.
  Result<void> copy(const Record& record, std::span<const std::byte> content);
  /// Takes the last one that was added, or begun, out again; once after each. What of it was flushed counts as not
  /// written.
  void take_back() noexcept;
  /// Adds the commit record: the group is whole.
  Result<void> close(std::uint64_t commit, std::uint64_t synced_end);
  /// Adds, to a group without records, the commit record that says: closed in order, all before it is durable.
  Result<void> mark_closed(std::uint64_t commit);
  /// What was given to bytes() has been written: only what comes later is held.
  void flushed() noexcept;

  /// The records not yet flushed, and where in the segment they stand.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Where what comes next stands.
  [[nodiscard]] std::uint64_t end() const noexcept { return offset_ + bytes_.size(); }
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  /// Whether part of it was flushed.
  [[nodiscard]] bool is_flushed() const noexcept { return offset_ != first_; }
  /// Where the content of the last record stands.
  [[nodiscard]] std::uint64_t content_begin() const noexcept { return content_begin_; }

 private:
  Result<void> append_commit(std::uint64_t commit, std::uint64_t synced_end, bool is_closed);
  Result<void> append(const Record& record, std::span<const std::byte> content);
  Result<void> append_head(const Record& record);
  void append_trailer(std::span<const std::byte> content);
  void forget_from(std::uint64_t offset) noexcept;
  template <class Call>
  Result<void> undone_unless(Call call);

  std::uint64_t segment_id_ = 0;
  std::uint64_t first_ = 0;   // of the group
  std::uint64_t offset_ = 0;  // of bytes_
  std::uint64_t records_ = 0;
  std::uint64_t last_ = 0;           // where the last record begins
  std::uint64_t content_begin_ = 0;  // of the last record
  std::vector<std::byte> bytes_;
};

}  // namespace packfs::log
