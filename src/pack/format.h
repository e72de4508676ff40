#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/le.h"

// The index and the footer; docs/format.md sections 4 and 5 are the truth, a test holds the two together.
namespace packfs::pack {

using base::Le16;
using base::Le32;
using base::Le64;
using base::Le8;

inline constexpr std::array<std::byte, 8> kFooterMagic{std::byte{0x89}, std::byte{'P'},  std::byte{'F'},
                                                       std::byte{'E'},  std::byte{'\r'}, std::byte{'\n'},
                                                       std::byte{0x1A}, std::byte{'\n'}};
inline constexpr unsigned kPageLog2 = 14;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageLog2;
inline constexpr std::uint32_t kMaxProbe = 64;
inline constexpr std::uint64_t kHashSeeds = 8;
inline constexpr std::uint64_t kEntryAlignment = 4;
inline constexpr std::uint64_t kXattrListAlignment = 8;

enum class Section : std::uint8_t {
  directories = 1,
  entries = 2,
  hash = 3,
  attribute_sets = 4,
  xattrs = 5,
  links = 6,
  dependencies = 7,
  page_checksums = 8,
  root_checksums = 9,
};
inline constexpr std::size_t kSections = 9;

struct DirectoryElement {
  Le64 parent;
  Le64 self_entry;
  Le64 table_offset;
  Le64 table_length;
  Le64 entry_count;
  Le64 subdirectory_count;
  Le64 total_entries;
  Le64 total_bytes;
  Le64 total_linked;
  Le64 change_commit;
  Le32 delta_slot;
  Le32 delta_depth;
  Le64 delta_directory;
};
static_assert(sizeof(DirectoryElement) == 96);

struct EntryElement {
  Le8 name_length;
  Le8 kind;
  Le16 presence;
  Le32 attribute_set;
  Le32 inode;
  Le32 mtime_nanoseconds;
  Le32 mtime_seconds;
  Le32 size;
  Le64 location;
};
static_assert(sizeof(EntryElement) == 32);

/// EntryElement::kind.
inline constexpr std::uint8_t kTypeMask = 0x0F;
inline constexpr unsigned kFormShift = 4;
inline constexpr std::uint8_t kFormMask = 0x30;
inline constexpr std::uint8_t kFirstInTable = 0x40;
inline constexpr std::uint8_t kWhiteout = 15;

/// EntryElement::presence.
enum Presence : std::uint16_t {
  kHasSize = 1 << 0,
  kHasMtime = 1 << 1,
  kHasInode = 1 << 2,
  kHasStoredLength = 1 << 3,
  kHasLinkId = 1 << 4,
  kHasCtime = 1 << 5,
  kHasChangeCommit = 1 << 6,
  kHasXattrs = 1 << 7,
  kHasSlot = 1 << 8,
};
inline constexpr std::uint16_t kKnownPresence = 0x1FF;

struct AttributeSet {
  Le32 mode;
  Le32 uid;
  Le32 gid;
  Le32 reserved;
};
static_assert(sizeof(AttributeSet) == 16);

struct XattrHeader {
  Le32 length;
  Le32 count;
};
static_assert(sizeof(XattrHeader) == 8);

struct LinkElement {
  Le64 link_id;
  Le64 inode;
  Le64 nlink;
};
static_assert(sizeof(LinkElement) == 24);

struct DependencyElement {
  Le32 kind;
  Le32 reserved;
  std::array<std::byte, 16> id;
  Le64 end;
};
static_assert(sizeof(DependencyElement) == 32);

struct SectionRange {
  Le64 offset;
  Le64 length;
};

struct Footer {
  std::array<std::byte, 8> magic;
  Le32 version;
  Le32 footer_length;
  std::array<std::uint8_t, 16> pack_id;
  Le64 total_length;
  Le64 log_end;
  Le64 segment_id;
  Le64 record_count;
  Le64 directory_count;
  Le64 entry_count;
  Le64 total_bytes;
  Le64 total_linked;
  Le64 next_inode;
  Le64 next_link_id;
  Le64 last_commit;
  Le64 hash_seed;
  Le64 hash_slots;
  Le32 max_probe;
  Le32 page_log2;
  Le64 dictionary_offset;
  Le64 dictionary_length;
  Le64 root_checksum;
  std::array<SectionRange, kSections> sections;
  std::array<std::byte, 192> reserved;
  Le64 checksum;
};
static_assert(sizeof(Footer) == 512);

}  // namespace packfs::pack
