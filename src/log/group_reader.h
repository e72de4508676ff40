#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "content/source.h"
#include "log/scanner.h"
#include "packfs/error.h"

namespace packfs::log {

/// A whole group, where it stands.
struct FoundGroup {
  std::uint64_t begin = 0;
  std::uint64_t commit_record = 0;  ///< offset of its commit record: its operations end there
  std::uint64_t end = 0;
  std::uint64_t commit = 0;
  std::uint64_t synced_end = 0;
  std::uint64_t records = 0;  ///< without the commit record
  bool is_closed = false;     ///< says: closed in order, all before it is durable
};

/// Walks the groups of a segment: records closed by a commit record that names them all. Contents it leaves alone.
/// Borrows the source. One thread at a time.
class GroupReader {
 public:
  /// Groups must lie in [begin, end), and their commit numbers be above `last_commit`.
  GroupReader(const content::Source& source, std::uint64_t segment_id, std::uint64_t begin, std::uint64_t end,
              std::uint64_t last_commit) noexcept
      : source_(source), segment_id_(segment_id), position_(begin), end_(end), last_commit_(last_commit) {}

  /// The next group; nothing where the bytes are no whole group, which damage() then says.
  /// Errors: unsupported_version; no_memory; an errno of pread.
  [[nodiscard]] Result<std::optional<FoundGroup>> next();
  /// Where the groups found so far end.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  /// What is there instead of a next group, with its offset; nothing at the very end.
  [[nodiscard]] const std::optional<Error>& damage() const noexcept { return damage_; }

 private:
  const content::Source& source_;
  std::uint64_t segment_id_;
  std::uint64_t position_;
  std::uint64_t end_;
  std::uint64_t last_commit_;
  std::optional<Error> damage_;
};

/// Whether behind `damage`, before `end`, there is a commit record that knows more than the bytes before it to be
/// durable: then what is there was lost, not merely never written.
/// Errors: no_memory; an errno of pread.
[[nodiscard]] Result<bool> is_known_durable(const content::Source& source, std::uint64_t segment_id,
                                            std::uint64_t damage, std::uint64_t end);

/// Whole groups in [begin, end), wherever they begin, of commits above `last_commit` and in their order. Takes one
/// pass, whatever the bytes are. Errors: no_memory; an errno of pread.
[[nodiscard]] Result<std::uint64_t> count_groups(const content::Source& source, std::uint64_t segment_id,
                                                 std::uint64_t begin, std::uint64_t end, std::uint64_t last_commit);

}  // namespace packfs::log
