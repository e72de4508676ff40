#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/entry.h"
#include "packfs/error.h"
#include "packfs/file.h"
#include "packfs/node.h"
#include "packfs/ref.h"
#include "packfs/types.h"

namespace packfs::tree {

/// Walks one directory's entries in byte order. Borrows its table. One thread at a time.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// Fills `entries` from the front and returns how many; 0 only at the end. Names stay valid as long as the cursor.
  /// Damage behind the first entry of a batch is returned by the next call.
  /// Errors: corrupt; an errno from the host. The cursor has then ended.
  virtual Result<std::size_t> next(std::span<Entry> entries) = 0;
};

/// An immutable tree that can be read by name: what a pack, and later a snapshot or a host directory, offers to the
/// layers above. Every Node given to a call came from the same table.
///
/// Threads: all calls from any thread at once. Errors of all calls: corrupt (with offset); an errno from the host.
class Table : public Counted {
 public:
  [[nodiscard]] virtual Result<Node> root() const = 0;

  /// One entry of a directory by its exact name. Errors: no_entry (allocates nothing).
  [[nodiscard]] virtual Result<Node> find(const Node& directory, std::string_view name) const = 0;

  /// Entries of a directory from the first name not below `from` on.
  [[nodiscard]] virtual Result<std::unique_ptr<Cursor>> list(const Node& directory, std::string_view from) const = 0;

  [[nodiscard]] virtual Result<Stat> stat(const Node& node) const = 0;
  [[nodiscard]] virtual Result<Totals> totals(const Node& directory) const = 0;
  /// Sorted by name.
  [[nodiscard]] virtual Result<std::vector<Xattr>> xattrs(const Node& node) const = 0;
  [[nodiscard]] virtual Result<std::string> readlink(const Node& symlink) const = 0;

  /// Size of a regular file's content in bytes.
  [[nodiscard]] virtual Result<std::uint64_t> size(const Node& file) const = 0;
  /// Verified bytes of a regular file; fewer than asked only at its end.
  [[nodiscard]] virtual Result<std::size_t> read(const Node& file, std::uint64_t offset,
                                                 std::span<std::byte> buffer) const = 0;
  /// All of a regular file, verified, without a copy. Valid as long as the table.
  /// Errors: not_supported (it is not one run in memory: read() it).
  [[nodiscard]] virtual Result<std::span<const std::byte>> borrow(const Node& file) const = 0;
  /// The next stretch of content that is not a hole, from `offset` on: [first, second), both the file's size when
  /// only a hole (or nothing) remains.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] virtual Result<Range> next_data(const Node& file, std::uint64_t offset) const = 0;

  /// A File over a regular file, which holds no more of the table than it must.
  [[nodiscard]] virtual Result<File> open(const Node& file) const;

  /// One more than the greatest inode number and the greatest link id in use.
  struct Numbers {
    std::uint64_t next_inode = 1;
    std::uint64_t next_link_id = 1;
  };
  [[nodiscard]] virtual Numbers numbers() const noexcept { return {}; }

  /// What gave the inodes their numbers: between tables of one origin an inode number means one entry, wherever it
  /// stands. 0: between this and any other it means nothing.
  [[nodiscard]] virtual std::uint64_t origin() const noexcept { return 0; }
};

/// The directories above one, the root first: how ".." in a symlink's target finds its way in a tree whose directories
/// may have several parents. Immutable once shared. One array, so that letting go of a deep one does not recurse.
struct DirectoryChain final : Counted {
  std::vector<Node> directories;
};

}  // namespace packfs::tree
