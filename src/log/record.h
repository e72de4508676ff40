#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "content/format.h"
#include "log/format.h"
#include "packfs/error.h"
#include "packfs/types.h"

namespace packfs::log {

/// Bits of an attribute mask (docs/format.md section 2.2).
enum Field : std::uint32_t {
  kParent = 1U << 0,
  kDirectory = 1U << 1,
  kInode = 1U << 2,
  kMode = 1U << 3,
  kOwner = 1U << 4,
  kMtime = 1U << 5,
  kCtime = 1U << 6,
  kLinkId = 1U << 7,
  kKind = 1U << 8,
  kDevice = 1U << 9,
  kSize = 1U << 10,
  kOffset = 1U << 11,
  kXattrs = 1U << 12,
  kTarget = 1U << 13,
  kGroup = 1U << 14,
  kSyncedEnd = 1U << 15,
  kSection = 1U << 16,
  kFlags = 1U << 17,
};

// Values of the field flags (section 2.2); each type has some of them, and a record one at most.
inline constexpr std::uint64_t kExchange = 1U << 0;
inline constexpr std::uint64_t kNoReplace = 1U << 1;
inline constexpr std::uint64_t kWithParents = 1U << 2;
inline constexpr std::uint64_t kLinkItself = 1U << 3;
inline constexpr std::uint64_t kTakenAway = 1U << 4;
inline constexpr std::uint64_t kEmptyDirectory = 1U << 5;
inline constexpr std::uint64_t kWholeTree = 1U << 6;
inline constexpr std::uint64_t kClosed = 1U << 7;

/// One extended attribute inside a record: borrowed bytes.
struct XattrRef {
  std::string_view name;
  std::span<const std::byte> value;
};

/// A record's head in memory. Views borrow from the bytes it was decoded from (or from the caller's, when encoding).
/// `fields` says which of the values below count.
struct Record {
  RecordType type{};
  content::Form form = content::Form::none;
  std::string_view name;
  std::uint64_t content_length = 0;
  std::uint64_t commit = 0;
  std::uint32_t fields = 0;

  std::uint64_t parent = 0;
  std::uint64_t directory = 0;
  std::uint64_t inode = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Time mtime;
  Time ctime;
  std::uint64_t link_id = 0;
  FileType kind = FileType::none;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::vector<XattrRef> xattrs;  ///< sorted by name
  std::string_view target;
  std::uint64_t group_offset = 0;
  std::uint64_t group_records = 0;
  std::uint64_t synced_end = 0;
  std::uint64_t section = 0;
  std::uint64_t flags = 0;
};

/// Whether the name is a path, as in a journal's operations, not a name in the directory `parent`.
[[nodiscard]] bool is_named_by_path(const Record& record) noexcept;

/// Appends the head (fixed part, name, attributes, checksum) of a record that will stand at `offset` of a segment to
/// `out`. Errors: invalid (a value the format does not allow: too long a name, unsorted xattrs, a field its type
/// lacks).
[[nodiscard]] Result<void> encode_head(const Record& record, std::uint64_t segment_id, std::uint64_t offset,
                                       std::vector<std::byte>& out);

/// What the fixed part of a record says of its lengths; nothing else of the record is needed.
struct HeadLengths {
  std::uint64_t head_bytes = 0;  ///< fixed part, name, attributes
};

/// Lengths from the first 32 bytes of a record at `offset`, before its checksum can be known good.
/// Errors: corrupt (offset given) when a length exceeds its limit.
[[nodiscard]] Result<HeadLengths> peek_head(std::span<const std::byte, sizeof(RecordHeader)> fixed,
                                            std::uint64_t offset);

/// Decodes a whole head (head_bytes long): checksum first, then every rule of section 2 for a single record.
/// Errors: corrupt (offset given), unsupported_version (a type or field this version does not know, checksum good).
[[nodiscard]] Result<Record> decode_head(std::span<const std::byte> head, std::uint64_t segment_id,
                                         std::uint64_t offset);

/// Where the content of a record at `offset` begins, given its head's length; and where the next record begins.
/// Errors: corrupt when they exceed 2^63 - 1.
struct RecordExtent {
  std::uint64_t content_begin = 0;
  std::uint64_t content_end = 0;  ///< the trailer begins here
  std::uint64_t next = 0;
};
[[nodiscard]] Result<RecordExtent> record_extent(const Record& record, std::uint64_t offset, std::uint64_t head_bytes);

}  // namespace packfs::log
