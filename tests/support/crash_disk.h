#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/io.h"
#include "support/disk_inode.h"

namespace packfs::testing {

/// What becomes of what was not synced when the power fails. What the seed leaves open: which changes, and where.
///
/// Of the data changes of each file, in the order they were made. A damage from torn_sector to garbage strikes one of
/// them, which the seed names; those before it are kept, those after it lost. Only writes can be damaged so; of
/// another change the seed says whether it is kept or lost.
/// Of the names, unless it says otherwise: each is kept or lost by the seed (see CrashDisk).
enum class Damage : std::uint8_t {
  all_kept,                 ///< data and names; but not what a failed sync lost
  all_lost,                 ///< data and names
  names_only,               ///< all names, no data: files of their old contents, new ones empty
  data_only,                ///< all data, no names
  each_random,              ///< each change for itself: kept, lost, or any of the damages from torn_sector to garbage
  torn_sector,              ///< the front or the back of a write, cut between two of the file's 512-byte sectors
  torn_byte,                ///< the same, cut anywhere
  scattered,                ///< each sector that a write touches is kept or lost for itself
  zeroed,                   ///< the range is there, the file as long as it makes it, and reads as zero
  grown,                    ///< the file is as long as the write makes it, without its bytes
  garbage,                  ///< the range is there and holds noise
  newest_kept_oldest_lost,  ///< changes and names: all from one on
  oldest_kept_newest_lost,  ///< changes and names: all before one
};

/// Every damage, to go through.
inline constexpr std::array kDamages{Damage::all_kept,
                                     Damage::all_lost,
                                     Damage::names_only,
                                     Damage::data_only,
                                     Damage::each_random,
                                     Damage::torn_sector,
                                     Damage::torn_byte,
                                     Damage::scattered,
                                     Damage::zeroed,
                                     Damage::grown,
                                     Damage::garbage,
                                     Damage::newest_kept_oldest_lost,
                                     Damage::oldest_kept_newest_lost};

/// A filesystem in memory that knows what its programs see (the page cache) from what its disk holds, and shows what a
/// machine finds after the power failed.
///
///   CrashDisk disk;
///   disk.crash_at(n);                                  // the n-th change does not happen, nor anything after it
///   run(disk);                                         // gets -EIO from there on
///   const auto after = disk.crash_image(seed, damage); // a disk of its own: recover from it, crash it again
///
/// For short transfers, and to fail the n-th call of one name, put a FaultIo in front; its hook before() can call
/// fail().
///
/// **Programs see** a tree of directories and regular files whose root is "/", also for relative paths with AT_FDCWD.
/// What they write is seen at once by every descriptor and mapping. An inode keeps its number for good, images
/// included. There are no links of either kind and no permissions: modes are kept and not heeded, owners and times
/// are 0. A file ends at PageCache::kMaxBytes (EFBIG); the disk is never full but through fail(). O_SYNC, O_DSYNC and
/// O_DIRECT are refused (EINVAL), O_TMPFILE too (EOPNOTSUPP), and the calls that stand last give ENOSYS, linkat
/// EOPNOTSUPP. Descriptor numbers are never used twice, so that one used after it was closed is EBADF.
///
/// **The disk holds** of a file its bytes and size, of a directory its names, each as when it was last synced.
/// fsync and fdatasync are the same here: a file's make durable every change of its data and size so far, through
/// whichever descriptor, and not its name; a directory's, every change of its names, and neither its own name nor what
/// the names lead to. A rename between two directories is durable when either was synced. Nothing else is ever made
/// durable.
///
/// **An image holds** that, and of the changes that were not synced what its Damage and seed choose. Data changes are
/// chosen one by one: each call of write, pwrite, writev (one change), ftruncate (or O_TRUNC), fallocate; a later one
/// may be there without an earlier one of the same or another file, or a size without its data. Name changes are chosen
/// one by one, and independent of data: a file may be found under its new name with nothing in it. But each is there in
/// one piece, and never without the earlier changes that it builds on: those of the same names, those that emptied a
/// directory that it removes, and, when it moves a directory, earlier moves of directories. So after a rename that was
/// not synced a file has its old name or its new one. A file is gone whose name, or that of a directory above it, was
/// never durable and is lost. The same calls, seed and damage give the same image.
///
/// **What is never produced**, though real machines may: damage to bytes that no change since the last sync covers (to
/// a sector's other bytes, or bit rot); a sync that is durable only in part; stale bytes of other files in a new range
/// (garbage is noise); bytes kept out of the middle of a sector; data written back because memory was short, which is
/// the same as kept. And what stricter filesystems promise is not promised: no order between data and names, none
/// within a file.
///
/// Threads: any, all at once. Throws std::system_error when the kernel gives no memory. Holds one real descriptor for
/// each file. Mappings are real ones: munmap gives them back, and they may outlive the disk.
class CrashDisk final : public base::Io {
 public:
  enum class Times : std::uint8_t { once, for_ever };

  /// An empty root. getrandom() gives what follows from `seed`.
  explicit CrashDisk(std::uint64_t seed = 1);
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;
  ~CrashDisk() override;

  /// Calls so far that change or sync, from 1 on, whether or not they succeeded: openat and openat2 with O_CREAT or
  /// O_TRUNC, write, pwrite, writev, ftruncate, fallocate, fsync, fdatasync, mkdirat, unlinkat, renameat2. Those made
  /// after the crash are not counted.
  [[nodiscard]] std::uint64_t calls() const;
  /// The methods' names of these: that of call n at n - 1.
  [[nodiscard]] std::vector<std::string_view> log() const;

  /// The program dies at the `n`-th such call, counted as by calls(), or the next one when it was made already: that
  /// one is not performed, and from then on every call gives -EIO but those that touch only the program's own memory
  /// and descriptors (close, munmap, madvise, mmap without a file), so that it can be taken down. 0: never.
  void crash_at(std::uint64_t n);
  [[nodiscard]] bool crashed() const;

  /// The `n`-th such call, counted as by calls() (for_ever: and each after it) gives -`error_number` and does nothing.
  /// But when it is a sync of a file, what was not synced of the file is lost on the disk for good, though programs go
  /// on seeing it, and a later sync succeeds without it: so Linux. (A directory's stays unsynced.)
  void fail(std::uint64_t n, int error_number, Times times);

  /// The `n`-th sync from now on, of any file or directory, fails so, once.
  void fail_sync(std::uint64_t n, int error_number);

  /// The program has died and the machine has not: closes every descriptor, forgets crash_at(), fail() and fail_sync().
  /// What programs see, and what is not synced, stays.
  void restart();

  /// What the machine finds if the power fails now: everything in it is durable, nothing is open, calls count from 0,
  /// getrandom() gives other bytes. This disk is left as it is.
  [[nodiscard]] std::unique_ptr<CrashDisk> crash_image(std::uint64_t seed, Damage damage) const;

  [[nodiscard]] std::size_t open_descriptors() const;

  int openat(int dirfd, const char* path, int flags, mode_t mode) override;
  /// Of `resolve`, RESOLVE_BENEATH and RESOLVE_IN_ROOT both refuse (EXDEV) what leaves `dirfd`; the others have nothing
  /// to say here.
  int openat2(int dirfd, const char* path, const open_how& how) override;
  int close(int fd) override;
  int dup(int fd) override;
  ssize_t read(int fd, void* buffer, std::size_t length) override;
  ssize_t pread(int fd, void* buffer, std::size_t length, off_t offset) override;
  ssize_t write(int fd, const void* buffer, std::size_t length) override;
  ssize_t pwrite(int fd, const void* buffer, std::size_t length, off_t offset) override;
  ssize_t writev(int fd, const iovec* pieces, int count) override;
  /// SEEK_SET, SEEK_CUR and SEEK_END; of a directory only back to its start.
  off_t lseek(int fd, off_t offset, int whence) override;
  int ftruncate(int fd, off_t length) override;
  /// With 0, FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE or FALLOC_FL_PUNCH_HOLE.
  int fallocate(int fd, int mode, off_t offset, off_t length) override;
  int fsync(int fd) override;
  int fdatasync(int fd) override;
  int sync_file_range(int fd, off_t offset, off_t length) override;
  /// Until its descriptor and those made of it by dup() are closed.
  int try_lock(int fd) override;
  int statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) override;
  ssize_t getdents64(int fd, void* buffer, std::size_t length) override;
  int mkdirat(int dirfd, const char* path, mode_t mode) override;
  int unlinkat(int dirfd, const char* path, int flags) override;
  /// With 0 or RENAME_NOREPLACE.
  int renameat2(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, unsigned flags) override;
  int mmap(std::size_t length, int fd, off_t offset, void** address) override;
  int munmap(void* address, std::size_t length) override;
  int madvise(void* address, std::size_t length, int advice) override;
  ssize_t getrandom(void* buffer, std::size_t length) override;
  int isatty(int fd) override;

  // Not modelled:
  ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t length) override;
  ssize_t readlinkat(int dirfd, const char* path, char* buffer, std::size_t length) override;
  int mknodat(int dirfd, const char* path, mode_t mode, dev_t device) override;
  int symlinkat(const char* target, int dirfd, const char* path) override;
  int linkat(int old_dirfd, const char* old_path, int new_dirfd, const char* new_path, int flags) override;
  int fchmod(int fd, mode_t mode) override;
  int fchmodat(int dirfd, const char* path, mode_t mode) override;
  int fchownat(int dirfd, const char* path, uid_t uid, gid_t gid) override;
  int utimensat(int dirfd, const char* path, const timespec times[2]) override;
  ssize_t flistxattr(int fd, char* list, std::size_t length) override;
  ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t length) override;
  int fsetxattr(int fd, const char* name, const void* value, std::size_t length) override;
  int fremovexattr(int fd, const char* name) override;
  ssize_t listxattrat(int dirfd, const char* path, char* list, std::size_t length) override;
  ssize_t getxattrat(int dirfd, const char* path, const char* name, void* value, std::size_t length) override;
  int setxattrat(int dirfd, const char* path, const char* name, const void* value, std::size_t length) override;

 private:
  struct OpenFile {
    std::shared_ptr<disk::Inode> inode;
    int flags = 0;
    bool has_lock = false;
    std::uint64_t offset = 0;          // of a directory: of the entry to list next
    std::vector<std::string> listing;  // a directory's, as it was when its listing began
    [[nodiscard]] bool readable() const;
    [[nodiscard]] bool writable() const;
  };
  /// Where a path leads: what is there (null: nothing), and the slot of its name (none of a path to "/", "." or "..").
  struct Place {
    std::shared_ptr<disk::Inode> inode;
    disk::Slot slot;
    bool must_be_directory = false;  // it ended with a slash
  };
  struct Fault {
    std::uint64_t n;
    int error_number;
    Times times;
  };

  // All of these with the mutex held; those that return int give 0 or a negated errno.
  [[nodiscard]] int alive() const { return crashed_ ? -EIO : 0; }
  int admit(std::string_view call);
  OpenFile* find(int fd);
  int give(std::shared_ptr<OpenFile> file);
  std::shared_ptr<disk::Inode> make_inode(std::uint64_t number, mode_t mode);
  int walk(int dirfd, std::string_view path, bool beneath, Place& place);
  int open(int dirfd, const char* path, std::uint64_t flags, mode_t mode, bool beneath);
  int create(const Place& place, mode_t mode, std::shared_ptr<disk::Inode>& made);
  void rename(const Place& from, const Place& to);
  void record(disk::NameChange change);
  void sync_names(const disk::Inode& directory);
  int sync(std::string_view call, int fd);
  ssize_t read_at(const OpenFile& file, std::uint64_t offset, void* buffer, std::size_t length) const;
  ssize_t write_at(OpenFile& file, std::uint64_t offset, std::vector<std::byte> bytes);
  ssize_t append(int fd, std::vector<std::byte> bytes);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::uint64_t next_number_ = 1;
  std::vector<std::weak_ptr<disk::Inode>> directories_;  // every one there was
  std::shared_ptr<disk::Inode> root_;
  std::vector<disk::NameChange> name_changes_;  // not synced, oldest first
  int next_descriptor_ = 1000;
  std::map<int, std::shared_ptr<OpenFile>> open_;
  std::vector<std::string_view> log_;
  std::vector<Fault> faults_;
  std::uint64_t syncs_to_failure_ = 0;  // 0: none will
  int sync_error_ = 0;
  std::uint64_t crash_at_ = 0;
  bool crashed_ = false;
};

}  // namespace packfs::testing
