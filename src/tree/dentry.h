#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "content/content.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "packfs/types.h"

namespace packfs::tree {

struct TreapNode;
struct XattrBlob;

/// What all parts of a tree in memory begin with. Counts are plain integers, changed only under the heap's lock.
/// An object whose owner is the edit at hand was made by it, is seen by nobody else, and is changed in place; all
/// others are immutable.
struct Part {
  std::uint64_t owner = 0;
  std::uint32_t references = 1;  ///< last: what is derived from it begins in the padding behind
};

/// A directory's own part of its Dentry.
struct DirectoryBody {
  TreapNode* treap = nullptr;         ///< what differs from the lower: counted; null when nothing does
  Node lower;                         ///< its type is none when there is no lower
  std::uint64_t subdirectories = 0;   ///< entries that are directories
  std::uint64_t entries = 0;          ///< names in it
  Totals below;                       ///< sums of its subtree; of a linked name the bytes are those its lower had
  std::uint64_t subtree_commit = 0;   ///< last commit that changed anything in or below it
  std::uint64_t children_family = 0;  ///< see Dentry::family
  /// Grows with every change in or below it, by at least the bytes that the change let go: what an older version of the
  /// directory keeps alive that this one does not is less than the difference.
  std::uint64_t churn = 0;
};

/// One name of a directory and what it names, in one allocation: this, the name, and behind it a DirectoryBody,
/// aligned, or content or a symlink's target of up to kMaxInline bytes.
struct Dentry : Part {
  static constexpr std::size_t kMaxInline = 256;
  [[nodiscard]] static constexpr std::size_t padded(std::size_t name_length) noexcept {
    return (name_length + 7) / 8 * 8;
  }

  FileType type = FileType::none;  ///< none: a whiteout, the lower's entry of that name is gone
  std::uint8_t name_length = 0;
  bool is_linked = false;      ///< a name whose inode is in the link table, under link_id
  bool shares_number = false;  ///< the top of a clone, not changed since: its inode number is the origin's
  bool is_inline = false;      ///< the bytes follow the name; otherwise `content` has them (null when there are none)
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mtime_ns = 0;
  std::uint32_t ctime_ns = 0;
  std::int64_t mtime = 0;
  std::int64_t ctime = 0;
  std::uint64_t inode = 0;
  std::uint64_t change_commit = 0;
  union {
    std::uint64_t size = 0;  ///< regular, symlink: bytes
    std::uint64_t device;    ///< major << 32 | minor
    std::uint64_t link_id;   ///< of a linked name
  };
  /// In the link table: names that the inode has. Elsewhere: the cloning this entry belongs to. An entry whose family
  /// is not its directory's children_family is shared with the origin of a clone, and takes an inode number of its own
  /// before it is changed there.
  union {
    std::uint64_t family = 0;
    std::uint64_t links;
  };
  Ref<const content::Content> content;
  XattrBlob* xattrs = nullptr;  ///< counted

  [[nodiscard]] bool is_whiteout() const noexcept { return type == FileType::none; }
  [[nodiscard]] DirectoryBody& directory() noexcept {
    return *reinterpret_cast<DirectoryBody*>(reinterpret_cast<std::byte*>(this + 1) + padded(name_length));
  }
  [[nodiscard]] const DirectoryBody& directory() const noexcept { return const_cast<Dentry*>(this)->directory(); }
  [[nodiscard]] const char* name_begin() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  [[nodiscard]] std::string_view name() const noexcept { return {name_begin(), name_length}; }
  [[nodiscard]] const std::byte* inline_bytes() const noexcept {
    return reinterpret_cast<const std::byte*>(name_begin() + name_length);
  }
  [[nodiscard]] std::byte* inline_bytes() noexcept {
    return const_cast<std::byte*>(static_cast<const Dentry*>(this)->inline_bytes());
  }
};
static_assert(sizeof(Dentry) == 104 && alignof(DirectoryBody) == 8);

/// Bytes of a Dentry with such a body.
[[nodiscard]] constexpr std::size_t dentry_bytes(FileType type, std::size_t name_length,
                                                 std::size_t inline_bytes) noexcept {
  if (type == FileType::directory) return sizeof(Dentry) + Dentry::padded(name_length) + sizeof(DirectoryBody);
  return sizeof(Dentry) + name_length + inline_bytes;
}

/// Asks for the cache lines of a small file's Dentry, before the first of them is looked at.
inline void prefetch(const Dentry* dentry) noexcept {
  const auto* const bytes = reinterpret_cast<const std::byte*>(dentry);
  for (std::size_t i = 0; i < 256; i += 64) __builtin_prefetch(bytes + i);
}

/// Extended attributes of one inode, sorted by name; immutable once shared. `count` elements of
/// {u16 name length, u32 value length, name, value} follow, unaligned.
struct XattrBlob : Part {
  std::uint32_t count = 0;
  std::uint64_t length = 0;
  [[nodiscard]] const std::byte* begin() const noexcept { return reinterpret_cast<const std::byte*>(this + 1); }
  [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace packfs::tree
