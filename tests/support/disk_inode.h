#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What a CrashDisk is made of. Nothing here locks: a CrashDisk does.
namespace packfs::testing::disk {

/// Bytes from offset 0 without end, zero until written. Copies share what neither has changed.
class SparseBytes {
 public:
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// `length` may go past everything, up to the end of 64 bits.
  void zero(std::uint64_t offset, std::uint64_t length);
  /// Calls take(offset, bytes) for each part that may not be zero, in order.
  template <class Take>
  void each(Take take) const {
    for (const auto& [index, page] : pages_) take(index * kPageBytes, std::span<const std::byte>(*page));
  }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  using Page = std::array<std::byte, kPageBytes>;

  std::map<std::uint64_t, std::shared_ptr<const Page>> pages_;  // never changed in place: other disks may read them
};

/// What a program sees of one file: memory that lies in a descriptor of the kernel's, so that a mapping of it shows
/// later writes, cannot be written through, and outlives this. Zero until written, and beyond the file's size.
class PageCache {
 public:
  /// Where the memory ends. Touching a mapping beyond it is SIGBUS, as beyond the end of a real file.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  /// Throws std::system_error when the kernel gives no descriptor; so do the others when it gives no memory.
  PageCache();
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;
  ~PageCache();

  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void zero(std::uint64_t offset, std::uint64_t length);
  /// As base::Io::mmap: 0, or a negated errno.
  int map(std::size_t length, off_t offset, void** address) const;

 private:
  int fd_;
};

/// One thing done to a file: its bytes, its size or its space.
struct DataChange {
  /// write: `bytes` are put at `offset`. zero: the range reads as zero. allocate: the range has space. resize: the file
  /// ends at `length` (`offset` is 0).
  enum class Kind : std::uint8_t { write, zero, allocate, resize };

  Kind kind = Kind::write;
  bool grows = true;  ///< the file's size becomes end() when it was less (resize: whatever it was)
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::vector<std::byte> bytes;  ///< of a write: `length` of them

  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  [[nodiscard]] std::uint64_t size_after(std::uint64_t size) const;
};

/// What a disk holds of a file. Bytes beyond `size` are zero.
struct FileContent {
  SparseBytes bytes;
  std::uint64_t size = 0;

  void grow(std::uint64_t end);
  void apply(const DataChange& change);
};

struct Inode;
using Names = std::map<std::string, std::shared_ptr<Inode>, std::less<>>;

/// A regular file or a directory: what programs see of it, what the disk holds, and what lies between.
struct Inode {
  Inode(std::uint64_t inode_number, mode_t inode_mode);

  std::uint64_t number;
  mode_t mode;           ///< with the type
  bool removed = false;  ///< has no name any more

  // Of a file:
  std::unique_ptr<PageCache> cache;
  std::uint64_t size = 0;
  FileContent durable;
  std::vector<DataChange> changes;  ///< not synced, oldest first

  // Of a directory (what is not synced of it is with the disk, since a rename has two):
  Names names;
  Names durable_names;
  std::weak_ptr<Inode> parent;

  [[nodiscard]] bool is_directory() const { return S_ISDIR(mode); }
  /// Does it to what programs see, and remembers it as not synced.
  void change(DataChange change);
  /// The disk holds what was changed.
  void sync();
  /// A file as a disk holds it, and so as programs find it.
  void load(FileContent content);
};

/// A place for a name.
struct Slot {
  std::shared_ptr<Inode> directory;  ///< null: none
  std::string name;

  friend bool operator==(const Slot&, const Slot&) = default;
};

/// One thing done to names, in one piece: `inode` gets its name (`to` alone), loses it (`from` alone) or another.
struct NameChange {
  Slot from;
  Slot to;
  std::shared_ptr<Inode> inode;
  std::shared_ptr<Inode> removed;  ///< loses its name: `inode`, or what was called `to`; null: none

  [[nodiscard]] bool touches(const Inode& directory) const {
    return from.directory.get() == &directory || to.directory.get() == &directory;
  }
  /// True when this cannot be on the disk without `earlier`.
  [[nodiscard]] bool needs(const NameChange& earlier) const;
  /// `names_of(directory)` gives the names to change.
  template <class NamesOf>
  void apply(NamesOf names_of) const {
    if (from.directory) names_of(*from.directory).erase(from.name);
    if (to.directory) names_of(*to.directory).insert_or_assign(to.name, inode);
  }
};

/// Marks, too, all that what is marked needs. `chosen` has one mark for each of `changes`.
void add_needed(const std::vector<NameChange>& changes, std::vector<bool>& chosen);

}  // namespace packfs::testing::disk
