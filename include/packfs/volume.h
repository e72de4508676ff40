#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/error.h"
#include "packfs/file.h"
#include "packfs/pack.h"
#include "packfs/types.h"
#include "packfs/view.h"

namespace packfs {

namespace tree {
struct Operation;
}
namespace base {
class Io;
}
namespace volume {
class Core;
class OpenTurn;
class TransactionSink;
}  // namespace volume
class Volume;
struct StoreOptions;
namespace store {
/// Volume::open(), for the library's own use.
Result<Volume> open(base::Io& io, std::string_view directory, const StoreOptions& options);
}  // namespace store

/// How a new entry comes to be. Owner and group are the volume's (VolumeOptions), but for `attributes`.
struct CreateOptions {
  std::uint32_t mode = 0644;  ///< 12 bits, of a new file; make_directory() and the like begin from 0755
  bool make_parents = false;  ///< directories missing on the way are made, mode 0755
  bool exclusive = false;     ///< exists when the name is taken, be it by a symlink (O_EXCL)
  /// write() only, without make_parents: all attributes of the file, be it new or not, and `mode` does not count.
  /// Borrowed for the call.
  const Attributes* attributes = nullptr;
};
/// write("a/b/c", bytes, make_parents)
// NOLINTNEXTLINE(readability-identifier-naming): it reads as a word of the call
inline constexpr CreateOptions make_parents{.mode = 0644, .make_parents = true, .exclusive = false};

/// What rename() does about the two names.
enum class RenameMode : std::uint8_t {
  replace,     ///< as rename(2): what has the new name is replaced, a directory only if it is empty
  no_replace,  ///< exists when the new name is taken
  exchange,    ///< both names must be there; they change places
};

/// What set_xattr() does about an attribute of that name.
enum class XattrMode : std::uint8_t {
  set,      ///< made or replaced
  create,   ///< exists when it is there
  replace,  ///< no_data when it is not there
};

/// Whether a symlink in a path's last place is followed.
enum class LastLink : bool { kept, followed };

/// What a volume or an open transaction can be told: every call is atomic, and leaves nothing changed when it fails.
///
/// Paths are as View's. Symlinks in all places but the last are followed, inside the tree; for the last the call says
/// so. Times: ctime and mtime are set as POSIX has it, from the clock. Where Attributes are given, mode, owner, mtime
/// and extended attributes are those.
///
/// Errors of every call: those View has for paths; not_empty, exists, not_a_directory, is_a_directory, invalid where
/// POSIX has them; no_memory; busy (this thread holds an open transaction of the volume, and the call is on the volume
/// itself). In a transaction: invalid once it was committed or dropped.
/// Threads: a Volume from any thread at once; a Transaction from one at a time.
class Writable {
 public:
  virtual ~Writable() = default;

  /// Makes the file, or replaces its whole content; the last symlink is followed, a dangling one to a new file.
  Result<void> write(std::string_view path, std::span<const std::byte> content, const CreateOptions& options = {});
  /// The same with memory that is taken over, not copied: `content` must come from std::make_unique_for_overwrite or
  /// the like.
  Result<void> write(std::string_view path, std::unique_ptr<std::byte[]> content, std::size_t bytes,
                     const CreateOptions& options = {});
  /// Adds at the end; makes a missing file.
  Result<void> append(std::string_view path, std::span<const std::byte> content, const CreateOptions& options = {});
  /// Writes into an existing file, which grows as needed (a gap becomes a hole). Errors: too_large (past 2^63 - 1).
  Result<void> write_at(std::string_view path, std::uint64_t offset, std::span<const std::byte> content);
  /// Cuts off or grows (by a hole) an existing file. Errors: too_large (past 2^63 - 1).
  Result<void> truncate(std::string_view path, std::uint64_t size);

  /// One directory; its parent is there. Errors: exists.
  Result<void> make_directory(std::string_view path, std::uint32_t mode = 0755);
  Result<void> make_directory(std::string_view path, const Attributes& attributes);
  /// Makes what is missing on the way and the last, as mkdir -p; a directory (or a symlink to one) there is no error.
  Result<void> make_directories(std::string_view path, std::uint32_t mode = 0755);
  Result<void> remove_directory(std::string_view path);  ///< an empty one. Errors: not_empty; busy (the root)
  Result<void> unlink(std::string_view path);            ///< anything but a directory
  Result<void> remove_tree(std::string_view path);       ///< a directory with all that is in it, or a file

  /// Moves a name, a directory with all that is in it. Costs O(log n). Two names of one file: nothing happens, as POSIX
  /// has it. Errors: invalid (a directory into itself or below); busy (the root).
  Result<void> rename(std::string_view from, std::string_view to, RenameMode mode = RenameMode::replace);
  /// A copy that shares everything until one side is changed; costs O(log n) and the linked names below. Names that
  /// share a file inside `from` share one in the copy, and none with `from`. `to` must not exist. A symlink is copied
  /// itself. Errors: exists; invalid (a directory into itself or below).
  Result<void> clone(std::string_view from, std::string_view to);
  /// A further name for a file, symlink or special; `existing` itself, if it is a symlink. Errors: not_permitted (a
  /// directory); exists.
  Result<void> link(std::string_view existing, std::string_view path);
  /// `target` is 1 byte to 1 MiB, without NUL, not looked at otherwise.
  Result<void> symlink(std::string_view target, std::string_view path);
  Result<void> symlink(std::string_view target, std::string_view path, const Attributes& attributes);
  /// fifo, socket, character_device or block_device; the numbers count for devices only.
  Result<void> make_special(std::string_view path, FileType type, std::uint32_t mode, std::uint32_t major = 0,
                            std::uint32_t minor = 0);
  Result<void> make_special(std::string_view path, FileType type, const Attributes& attributes, std::uint32_t major = 0,
                            std::uint32_t minor = 0);

  Result<void> chmod(std::string_view path, std::uint32_t mode);  ///< 12 bits; the last symlink is followed
  /// UINT32_MAX leaves one as it is. Clears setuid and setgid of what is not a directory, as chown(2) by an ordinary
  /// user does.
  Result<void> chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, LastLink last = LastLink::followed);
  Result<void> set_mtime(std::string_view path, const Time& mtime, LastLink last = LastLink::followed);
  /// Of the last component itself. `name` is 1 to 255 bytes without NUL, `value` at most 64 KiB.
  Result<void> set_xattr(std::string_view path, std::string_view name, std::span<const std::byte> value,
                         XattrMode mode = XattrMode::set);
  Result<void> remove_xattr(std::string_view path, std::string_view name);  ///< Errors: no_data
  /// Mode, owner, mtime and extended attributes at once, of the last component itself; those it had are gone.
  Result<void> set_attributes(std::string_view path, const Attributes& attributes);

  // Reading what is there now, a transaction's own writes included. As View's calls; each sees one state.

  /// View::open(): the file as it is now, whatever is written later.
  [[nodiscard]] Result<File> open_file(std::string_view path) const;
  /// View::read().
  [[nodiscard]] virtual Result<std::size_t> read(std::string_view path, std::span<std::byte> buffer,
                                                 std::uint64_t offset = 0) const;
  /// View::stat(): symlinks are followed.
  [[nodiscard]] virtual Result<Stat> stat(std::string_view path) const;
  /// View::lstat(): of the last component itself.
  [[nodiscard]] virtual Result<Stat> lstat(std::string_view path) const;
  /// View::readlink(): a symlink's target.
  [[nodiscard]] Result<std::string> readlink(std::string_view path) const;
  /// View::xattrs(): of the last component itself, sorted by name.
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(std::string_view path) const;
  [[nodiscard]] Result<bool> exists(std::string_view path) const;  ///< the last symlink is not followed
  /// View::totals(). Costs the linked names below, when any was changed.
  [[nodiscard]] Result<Totals> totals(std::string_view path = "") const;
  /// The entries as they are now, whatever is written while the range is walked.
  [[nodiscard]] Listing list(std::string_view path = "", std::string_view from = "") const;

 protected:
  Writable() = default;
  Writable(const Writable&) = default;
  Writable& operator=(const Writable&) = default;

 private:
  virtual Result<void> run(const tree::Operation& operation) = 0;
  /// What there is now; valid until the next call that writes.
  [[nodiscard]] virtual Result<View> view() const = 0;
  /// The same, valid as long as it is held.
  [[nodiscard]] virtual Result<View> lasting_view() const = 0;
};

/// When a commit of a store is safe from a crash; in memory nothing is.
enum class Durability : std::uint8_t {
  sync,  ///< when the call returns
  /// After the next commit that is, or Volume::sync(); until then a crash may undo it, with all later ones. A
  /// transaction of more than 1 MiB counts as sync.
  async,
};

/// The state of a volume after one commit. A View that never changes, whatever is written later; it outlives the
/// volume. Cheap to copy, usable from any thread. Holding one keeps alive what later writes replace.
class Snapshot : public View {
 public:
  Snapshot(View root, std::uint64_t commit) noexcept : View(std::move(root)), commit_(commit) {}
  /// The number of the commit it shows; 0 before the first.
  [[nodiscard]] std::uint64_t commit() const noexcept { return commit_; }

 private:
  std::uint64_t commit_;
};

/// The one writer, until commit() or drop. Other writers wait meanwhile; readers do not. Movable, across threads too.
class Transaction final : public Writable {
 public:
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  ~Transaction() override;  ///< drops what was not committed: as if it had never been

  /// Makes all of it visible at once; returns the commit's number. When it fails, it is as if it had never been; after
  /// poisoned, the next open of the store finds all of it or nothing. Errors: invalid (committed or dropped before);
  /// no_memory (the transaction stays open; of a store it may have ended: then the next call says invalid); of a store:
  /// poisoned, no_space, an errno.
  Result<std::uint64_t> commit(Durability durability = Durability::sync);
  /// Nothing of it will be. Files that were opened in it may be stale then.
  void drop() noexcept;

 private:
  friend class Volume;
  friend class volume::TransactionSink;
  explicit Transaction(std::unique_ptr<volume::OpenTurn> turn) noexcept;
  Result<void> run(const tree::Operation& operation) override;
  [[nodiscard]] Result<View> view() const override;
  [[nodiscard]] Result<View> lasting_view() const override;
  std::unique_ptr<volume::OpenTurn> turn_;
};

/// How a volume is made.
struct VolumeOptions {
  std::optional<std::uint32_t> uid = {};  ///< owner of new entries; the process's effective one when not given
  std::optional<std::uint32_t> gid = {};
};

/// How a store is opened.
struct StoreOptions {
  std::optional<std::uint32_t> uid = {};  ///< as of VolumeOptions
  std::optional<std::uint32_t> gid = {};
  bool create = true;  ///< made where there is none: the directory may be missing, its parent may not
  /// For reading, beside a writer and other readers, on a read-only medium too: nothing is locked, written or made.
  /// Writes fail (read_only). What is committed elsewhere later is seen after Volume::refresh().
  bool read_only = false;
  /// A segment of the journal that is longer is followed by a new one, before the next transaction.
  std::uint64_t segment_bytes = std::uint64_t{256} << 20;
};

/// What a volume has in memory and whom that serves. Numbers of one moment, not of one commit.
struct VolumeCounters {
  std::uint64_t nodes = 0;          ///< blocks of the directories' treaps
  std::uint64_t inodes = 0;         ///< entries: files, directories, symlinks, specials
  std::uint64_t roots = 0;          ///< states alive: the newest, those held by snapshots, those not yet freed
  std::uint64_t memory_bytes = 0;   ///< taken from the allocator for all of it, contents beyond 256 bytes not counted
  std::uint64_t retired_roots = 0;  ///< replaced states that wait to be freed
  std::uint64_t nodes_copied = 0;   ///< since the volume was made: the work of all writes
};

/// The oldest snapshot held (by a Snapshot, a View, a Listing).
struct OldestSnapshot {
  std::uint64_t commit = 0;
  std::chrono::nanoseconds age{};  ///< since that commit was made
  std::uint64_t inodes = 0;        ///< entries that would be freed if it alone were dropped
  std::uint64_t bytes = 0;         ///< memory that would, contents included; after quiesce(), else perhaps less
};

/// A tree that can be changed: many threads read without ever waiting, one writes at a time, each write is atomic.
/// Cheap to copy: copies are the same volume. Every call on it is a transaction of its own.
class Volume final : public Writable {
 public:
  /// An empty tree in memory. Errors: no_memory.
  [[nodiscard]] static Result<Volume> memory(const VolumeOptions& options = {});
  /// Begins as the pack's tree; what is changed lies in memory, the pack stays as it is and open. Costs O(1).
  [[nodiscard]] static Result<Volume> memory(const Pack& base, const VolumeOptions& options = {});

  /// A volume on disk, a directory of its own: every commit is durable when the call returns (or later, Durability),
  /// and after any crash it is there whole or not at all. One process has it open at a time, once; any number read it
  /// (StoreOptions::read_only). Costs one pass over the journal. Errors, with path and offset: busy (another writer has
  /// it); corrupt (nothing is changed then); unsupported_version; no_entry (there is none, and none is to be made); an
  /// errno of the host; no_memory.
  [[nodiscard]] static Result<Volume> open(const std::string& directory, const StoreOptions& options = {});

  Volume(const Volume&) noexcept;
  Volume(Volume&&) noexcept;
  Volume& operator=(const Volume&) noexcept;
  Volume& operator=(Volume&&) noexcept;
  ~Volume() override;

  /// The newest state. Wait-free, costs no memory.
  [[nodiscard]] Snapshot snapshot() const noexcept;

  /// Waits until no other transaction is open. Errors: busy (this thread holds one); no_memory.
  [[nodiscard]] Result<Transaction> begin();
  /// Errors: busy (another is open).
  [[nodiscard]] Result<Transaction> try_begin();
  /// Errors: busy (this thread holds one); from_errno(ETIMEDOUT).
  [[nodiscard]] Result<Transaction> begin_for(std::chrono::nanoseconds timeout);

  /// The same volume by a handle whose own calls are so durable (Durability::sync when it was opened).
  [[nodiscard]] Volume with(Durability durability) const noexcept;
  /// Waits until all that was committed before is durable; in memory nothing is. Errors: poisoned.
  Result<void> sync();

  /// Of a store opened with StoreOptions::read_only: shows what its writer has committed since, which need not be
  /// durable yet; false when that is nothing, and of every other volume. When it fails, all is seen as before. Errors,
  /// with path and offset: corrupt; no_entry (there is no store any more); an errno of the host; no_memory.
  Result<bool> refresh();

  /// Waits until all that no snapshot needs is freed. Not while a transaction is open on this thread (returns at once).
  void quiesce();
  [[nodiscard]] VolumeCounters counters() const;
  /// Nothing when no state but the newest is held. Looks at all that the snapshot alone pins, and holds up writers so
  /// long.
  [[nodiscard]] std::optional<OldestSnapshot> oldest_snapshot() const;

  /// As Writable says; without a count that readers would share, when all lies in memory.
  [[nodiscard]] Result<std::size_t> read(std::string_view path, std::span<std::byte> buffer,
                                         std::uint64_t offset = 0) const override;
  /// As Writable says.
  [[nodiscard]] Result<Stat> stat(std::string_view path) const override;
  /// As Writable says.
  [[nodiscard]] Result<Stat> lstat(std::string_view path) const override;

 private:
  friend Result<Volume> store::open(base::Io& io, std::string_view directory, const StoreOptions& options);
  explicit Volume(std::shared_ptr<volume::Core> core) noexcept;
  Result<void> run(const tree::Operation& operation) override;
  [[nodiscard]] Result<View> view() const override;
  [[nodiscard]] Result<View> lasting_view() const override;
  std::shared_ptr<volume::Core> core_;
  Durability durability_ = Durability::sync;
};

/// One difference between two states.
struct Change {
  enum class Kind : std::uint8_t { added, removed, changed, renamed };
  Kind kind{};
  std::string path;  ///< of the newer state; of the older when removed
  std::string from;  ///< renamed: the older path
};

/// What differs between two views, in path order of `path` (bytes, component by component). An entry is `changed` when
/// type, attributes, content or target differ; a directory when its own attributes do. A subtree that was added or
/// removed is listed entry by entry; one that was moved is one `renamed`, with its own changes listed below the new
/// path. A directory that another of its name has taken the place of counts as that one, changed, unless one of the two
/// is found elsewhere and not below the other; what was moved into such a directory, or into one that shares its inode
/// number with a clone, may be listed as removed and added. Two trees that do not number their inodes alike (two packs,
/// a pack and a store, two stores that are not one's copies) are compared by their paths, and nothing is `renamed`.
/// Between snapshots of one volume (or of volumes over one pack) the cost follows the number of changes. Errors:
/// corrupt; an errno from the host; no_memory.
[[nodiscard]] Result<std::vector<Change>> diff(const View& before, const View& after);

}  // namespace packfs
