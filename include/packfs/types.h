#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace packfs {

/// What an entry is. The values stand in packs.
enum class FileType : std::uint8_t {
  none = 0,
  regular = 1,
  directory = 2,
  symlink = 3,
  fifo = 4,
  socket = 5,
  character_device = 6,
  block_device = 7,
};

/// A point in time since 1970-01-01 UTC; negative seconds lie before it, nanoseconds (0 to 999,999,999) always count
/// up.
struct Time {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  friend auto operator<=>(const Time&, const Time&) = default;
};

/// One extended attribute: a full name ("user.x", "system.posix_acl_access") and its bytes.
struct Xattr {
  std::string name;
  std::vector<std::byte> value;
  friend auto operator<=>(const Xattr&, const Xattr&) = default;
};

/// Attributes that a caller gives when it makes an entry.
struct Attributes {
  std::uint32_t mode = 0644;  ///< 12 bits: permissions, setuid, setgid, sticky
  std::uint32_t uid = 0;      ///< at most 2^32 - 2
  std::uint32_t gid = 0;      ///< at most 2^32 - 2
  Time mtime = {};
  std::vector<Xattr> xattrs = {};  ///< any order; no name twice
};

/// What stat tells of an entry.
struct Stat {
  FileType type = FileType::none;
  std::uint32_t mode = 0;  ///< 12 bits; the type is not in it
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t nlink = 1;  ///< names of a file; for a directory 2 + its subdirectories
  std::uint64_t size = 0;   ///< bytes of a regular file or of a symlink's target; 0 for all others
  std::uint64_t inode = 0;
  std::uint64_t link_id = 0;  ///< shared by all names of one file that has several; 0 for any other
  Time mtime;
  Time ctime;                       ///< zero in built packs
  std::uint64_t change_commit = 0;  ///< last commit that changed it; zero in built packs
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  bool has_xattrs = false;
};

/// Sums over everything below a directory, itself not counted.
struct Totals {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;         ///< sizes of regular files; one with several names counts under each
  std::uint64_t linked_names = 0;  ///< names of files that have several
};

}  // namespace packfs
