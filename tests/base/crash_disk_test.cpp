#include "support/crash_disk.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

using packfs::base::unique_fd;
using packfs::testing::CrashDisk;

namespace {

struct OnCrashDisk {
  CrashDisk disk;
  using Times = CrashDisk::Times;

  unique_fd open(const char* path, int flags = O_RDWR | O_CREAT, int dirfd = AT_FDCWD) {
    return {disk, disk.openat(dirfd, path, flags | O_CLOEXEC, 0640)};
  }
  std::string text(int fd) {
    std::array<char, 64> bytes{};
    const ssize_t got = disk.pread(fd, bytes.data(), bytes.size(), 0);
    return got < 0 ? "error" : std::string(bytes.data(), static_cast<std::size_t>(got));
  }
  struct statx status(const char* path) {
    struct statx out{};
    if (disk.statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &out) != 0) out.stx_ino = 0;
    return out;
  }
  std::set<std::string> names(const char* path) {
    const unique_fd directory = open(path, O_RDONLY | O_DIRECTORY);
    alignas(8) std::array<char, 80> buffer{};  // some three entries at a time
    std::set<std::string> found;
    for (ssize_t got = 0; (got = disk.getdents64(directory.get(), buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < got;) {
        dirent64 entry{};
        std::memcpy(&entry, buffer.data() + at, offsetof(dirent64, d_name));
        found.insert(buffer.data() + at + offsetof(dirent64, d_name));
        at += entry.d_reclen;
      }
    }
    return found;
  }
};

}  // namespace

TEST_CASE_METHOD(OnCrashDisk, "what is written is read by every descriptor, where each stands", "[crash_disk]") {
  const unique_fd fd = open("/file");
  REQUIRE(fd);
  CHECK(disk.write(fd.get(), "hello", 5) == 5);
  CHECK(disk.pwrite(fd.get(), "J", 1, 0) == 1);
  char first[] = " wor";
  char second[] = "ld";
  const iovec pieces[] = {{first, 4}, {second, 2}};
  CHECK(disk.writev(fd.get(), pieces, 2) == 6);
  CHECK(text(fd.get()) == "Jello world");
  const unique_fd copy(disk, disk.dup(fd.get()));
  CHECK(disk.lseek(copy.get(), 6, SEEK_SET) == 6);
  char bytes[8] = {};
  CHECK(disk.read(fd.get(), bytes, sizeof bytes) == 5);
  CHECK(std::string(bytes) == "world");
  CHECK(disk.lseek(fd.get(), -1, SEEK_END) == 10);
  const unique_fd other = open("file", O_RDONLY);
  CHECK(disk.read(other.get(), bytes, 2) == 2);
  CHECK(std::string(bytes, 2) == "Je");
  CHECK(disk.write(other.get(), "x", 1) == -EBADF);
  const unique_fd appending = open("file", O_WRONLY | O_APPEND);
  CHECK(disk.write(appending.get(), "!", 1) == 1);
  CHECK(disk.read(appending.get(), bytes, 1) == -EBADF);
  CHECK(text(fd.get()) == "Jello world!");
  CHECK(disk.pwrite(fd.get(), "x", 1, off_t{1} << 40) == -EFBIG);
}

TEST_CASE_METHOD(OnCrashDisk, "a file is cut, extended with zeros, and given space", "[crash_disk]") {
  using namespace std::string_literals;
  const unique_fd fd = open("/file");
  REQUIRE(disk.write(fd.get(), "abcdef", 6) == 6);
  CHECK(disk.ftruncate(fd.get(), 3) == 0);
  CHECK(disk.ftruncate(fd.get(), 5) == 0);
  CHECK(text(fd.get()) == "abc\0\0"s);
  CHECK(disk.fallocate(fd.get(), FALLOC_FL_KEEP_SIZE, 0, 4096) == 0);
  CHECK(status("/file").stx_size == 5);
  CHECK(disk.fallocate(fd.get(), 0, 0, 7) == 0);
  CHECK(text(fd.get()) == "abc\0\0\0\0"s);
  CHECK(disk.fallocate(fd.get(), FALLOC_FL_ZERO_RANGE, 1, 1) == 0);
  CHECK(disk.fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 100) == 0);
  CHECK(text(fd.get()) == "a\0\0\0\0\0\0"s);
  CHECK(disk.fallocate(fd.get(), FALLOC_FL_ZERO_RANGE, 4, 4) == 0);
  CHECK(status("/file").stx_size == 8);
  CHECK(disk.fallocate(fd.get(), FALLOC_FL_COLLAPSE_RANGE, 0, 4096) == -EOPNOTSUPP);
  const unique_fd again = open("/file", O_RDWR | O_TRUNC);
  CHECK(text(fd.get()).empty());
}

TEST_CASE_METHOD(OnCrashDisk, "names are made, found by any path, listed, moved and removed", "[crash_disk]") {
  REQUIRE(disk.mkdirat(AT_FDCWD, "/store", 0750) == 0);
  CHECK(disk.mkdirat(AT_FDCWD, "store/", 0750) == -EEXIST);
  const unique_fd store = open("/store/", O_RDONLY | O_DIRECTORY);
  REQUIRE(store);
  REQUIRE(open("a", O_RDWR | O_CREAT | O_EXCL, store.get()));
  CHECK(open("/store/a", O_RDWR | O_CREAT | O_EXCL).get() == -EEXIST);
  CHECK(open("/store/a/").get() == -ENOTDIR);
  CHECK(open("/store/a/b").get() == -ENOTDIR);
  CHECK(open("/store", O_RDWR).get() == -EISDIR);
  CHECK(open("/store/a", O_RDONLY | O_DIRECTORY).get() == -ENOTDIR);
  CHECK(open("absent", O_RDONLY, store.get()).get() == -ENOENT);
  CHECK(open(".", O_RDWR | O_TMPFILE).get() == -EOPNOTSUPP);
  CHECK(status("/store/../store/./a").stx_mode == (S_IFREG | 0640));
  CHECK(status("/store").stx_mode == (S_IFDIR | 0750));
  CHECK(names("/store") == std::set<std::string>{".", "..", "a"});

  REQUIRE(open("b", O_RDWR | O_CREAT, store.get()));
  const auto number = status("/store/a").stx_ino;
  CHECK(disk.renameat2(store.get(), "a", store.get(), "b", RENAME_NOREPLACE) == -EEXIST);
  CHECK(disk.renameat2(store.get(), "a", store.get(), "b", 0) == 0);
  CHECK(status("/store/b").stx_ino == number);
  CHECK(disk.renameat2(store.get(), "absent", store.get(), "c", 0) == -ENOENT);
  CHECK(disk.renameat2(AT_FDCWD, "store", store.get(), "in", 0) == -EINVAL);
  CHECK(names("/store") == std::set<std::string>{".", "..", "b"});
  for (const char* name : {"file-with-some-name", "file-with-another", "c", "d"}) {
    REQUIRE(open(name, O_RDWR | O_CREAT, store.get()));
  }
  CHECK(names("/store").size() == 7);
  REQUIRE(disk.mkdirat(store.get(), "sub", 0700) == 0);
  REQUIRE(disk.renameat2(store.get(), "sub", AT_FDCWD, "sub", 0) == 0);
  CHECK(status("/sub/..").stx_ino == status("/").stx_ino);
  CHECK(disk.unlinkat(AT_FDCWD, "store", AT_REMOVEDIR) == -ENOTEMPTY);
  CHECK(disk.unlinkat(AT_FDCWD, "store", 0) == -EISDIR);
}

TEST_CASE_METHOD(OnCrashDisk, "a removed file lives on while it is open, a removed directory takes no names",
                 "[crash_disk]") {
  const unique_fd fd = open("/file");
  REQUIRE(disk.write(fd.get(), "text", 4) == 4);
  CHECK(disk.unlinkat(AT_FDCWD, "/file", 0) == 0);
  CHECK(disk.unlinkat(AT_FDCWD, "/file", 0) == -ENOENT);
  CHECK(text(fd.get()) == "text");
  struct statx out{};
  CHECK(disk.statx(fd.get(), "", AT_EMPTY_PATH, STATX_BASIC_STATS, &out) == 0);
  CHECK(out.stx_nlink == 0);
  CHECK(out.stx_size == 4);
  CHECK(disk.fsync(fd.get()) == 0);

  REQUIRE(disk.mkdirat(AT_FDCWD, "d", 0700) == 0);
  const unique_fd directory = open("d", O_RDONLY | O_DIRECTORY);
  REQUIRE(disk.unlinkat(AT_FDCWD, "d", AT_REMOVEDIR) == 0);
  CHECK(open("f", O_RDWR | O_CREAT, directory.get()).get() == -ENOENT);
}

TEST_CASE_METHOD(OnCrashDisk, "on a crash disk, openat2 refuses what leaves the directory", "[crash_disk]") {
  REQUIRE(disk.mkdirat(AT_FDCWD, "d", 0700) == 0);
  const unique_fd directory = open("d", O_RDONLY | O_DIRECTORY);
  const open_how how{.flags = O_RDWR | O_CREAT, .mode = 0600, .resolve = RESOLVE_BENEATH};
  CHECK(disk.openat2(directory.get(), "../f", how) == -EXDEV);
  CHECK(disk.openat2(directory.get(), "/f", how) == -EXDEV);
  const unique_fd made(disk, disk.openat2(directory.get(), "f", how));
  CHECK(made);
  CHECK(status("/d/f").stx_ino != 0);
}

TEST_CASE_METHOD(OnCrashDisk, "descriptors are counted, and never mean another file once closed", "[crash_disk]") {
  const int first = disk.openat(AT_FDCWD, "a", O_RDWR | O_CREAT, 0600);
  CHECK(disk.open_descriptors() == 1);
  CHECK(disk.close(first) == 0);
  CHECK(disk.open_descriptors() == 0);
  CHECK(disk.close(first) == -EBADF);
  const unique_fd second = open("b");
  CHECK(second.get() != first);
  CHECK(disk.write(first, "x", 1) == -EBADF);
  CHECK(disk.fsync(first) == -EBADF);
  CHECK(disk.dup(first) == -EBADF);
}

TEST_CASE_METHOD(OnCrashDisk, "a mapping shows later writes at its address, and zeros after a cut", "[crash_disk]") {
  const unique_fd fd = open("/file");
  REQUIRE(disk.write(fd.get(), "mapped", 6) == 6);
  void* address = nullptr;
  constexpr std::size_t kLength = 64 << 10;  // more than there is of the file
  REQUIRE(disk.mmap(kLength, fd.get(), 0, &address) == 0);
  const auto* bytes = static_cast<const volatile char*>(address);
  CHECK(bytes[0] == 'm');
  CHECK(bytes[6] == 0);
  REQUIRE(disk.pwrite(fd.get(), "M", 1, 0) == 1);
  REQUIRE(disk.pwrite(fd.get(), "far", 3, 40000) == 3);
  CHECK(bytes[0] == 'M');
  CHECK(bytes[40002] == 'r');
  REQUIRE(disk.ftruncate(fd.get(), 2) == 0);
  CHECK(bytes[2] == 0);
  CHECK(bytes[40002] == 0);
  CHECK(disk.madvise(address, kLength, MADV_DONTNEED) == 0);
  CHECK(bytes[1] == 'a');
  CHECK(disk.munmap(address, kLength) == 0);
  CHECK(disk.mmap(4096, fd.get(), 1, &address) == -EINVAL);
  const unique_fd only_written = open("/file", O_WRONLY);
  CHECK(disk.mmap(4096, only_written.get(), 0, &address) == -EACCES);
}

TEST_CASE("random bytes follow from the seed, and differ in an image", "[crash_disk]") {
  const auto bytes_of = [](CrashDisk& disk) {
    std::array<unsigned char, 16> bytes{};
    REQUIRE(disk.getrandom(bytes.data(), bytes.size()) == 16);
    return bytes;
  };
  CrashDisk first(7);
  CrashDisk same(7);
  CrashDisk other(8);
  const auto bytes = bytes_of(first);
  CHECK(bytes == bytes_of(same));
  CHECK(bytes != bytes_of(first));
  CHECK(bytes != bytes_of(other));
  CHECK(bytes != bytes_of(*first.crash_image(7, packfs::testing::Damage::all_kept)));
}

TEST_CASE_METHOD(OnCrashDisk, "calls that change or sync are counted and named, others are not", "[crash_disk]") {
  const unique_fd fd = open("/file");
  CHECK(disk.write(fd.get(), "abc", 3) == 3);
  CHECK(text(fd.get()) == "abc");
  CHECK(status("/file").stx_size == 3);
  CHECK(open("/file", O_RDONLY));
  CHECK(disk.fdatasync(fd.get()) == 0);
  CHECK(disk.sync_file_range(fd.get(), 0, 3) == 0);
  CHECK(disk.unlinkat(AT_FDCWD, "absent", 0) == -ENOENT);
  CHECK(disk.log() == std::vector<std::string_view>{"openat", "write", "fdatasync", "sync_file_range", "unlinkat"});
  CHECK(disk.calls() == 5);
}

TEST_CASE_METHOD(OnCrashDisk, "from the crash on nothing happens, and every call on the disk fails", "[crash_disk]") {
  int fd = disk.openat(AT_FDCWD, "/file", O_RDWR | O_CREAT, 0600);
  void* address = nullptr;
  REQUIRE(disk.mmap(4096, fd, 0, &address) == 0);
  disk.crash_at(3);
  CHECK(disk.write(fd, "a", 1) == 1);
  CHECK_FALSE(disk.crashed());
  CHECK(disk.write(fd, "b", 1) == -EIO);
  CHECK(disk.crashed());
  CHECK(disk.calls() == 2);
  char byte = 0;
  CHECK(disk.pread(fd, &byte, 1, 0) == -EIO);
  CHECK(disk.fsync(fd) == -EIO);
  CHECK(disk.openat(AT_FDCWD, "/file", O_RDONLY, 0) == -EIO);
  CHECK(disk.mkdirat(AT_FDCWD, "d", 0700) == -EIO);
  CHECK(disk.munmap(address, 4096) == 0);
  CHECK(disk.close(fd) == 0);
  CHECK(disk.open_descriptors() == 0);

  disk.restart();
  CHECK_FALSE(disk.crashed());
  fd = disk.openat(AT_FDCWD, "/file", O_RDONLY, 0);
  CHECK(text(fd) == "a");
  disk.restart();
  CHECK(disk.open_descriptors() == 0);
}

TEST_CASE_METHOD(OnCrashDisk, "a chosen call fails and does nothing, once or for ever", "[crash_disk]") {
  const unique_fd fd = open("/file");
  disk.fail(3, ENOSPC, Times::once);
  CHECK(disk.write(fd.get(), "a", 1) == 1);
  CHECK(disk.write(fd.get(), "b", 1) == -ENOSPC);
  CHECK(disk.write(fd.get(), "c", 1) == 1);
  CHECK(text(fd.get()) == "ac");
  disk.fail(disk.calls() + 2, EDQUOT, Times::for_ever);
  CHECK(disk.ftruncate(fd.get(), 1) == 0);
  CHECK(disk.unlinkat(AT_FDCWD, "file", 0) == -EDQUOT);
  CHECK(disk.renameat2(AT_FDCWD, "file", AT_FDCWD, "other", 0) == -EDQUOT);
  CHECK(text(fd.get()) == "a");
  CHECK(status("/file").stx_size == 1);
  CHECK_FALSE(disk.crashed());
}

TEST_CASE_METHOD(OnCrashDisk, "threads write at once, and each finds its own", "[crash_disk]") {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  std::array<bool, kThreads> right{};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i, &right] {
      const std::string name(1, static_cast<char>('a' + i));
      const int fd = disk.openat(AT_FDCWD, name.c_str(), O_RDWR | O_CREAT, 0600);
      bool all = fd >= 0;
      for (int round = 0; round < kRounds; ++round) {
        all = all && disk.write(fd, name.data(), 1) == 1 && disk.fsync(fd) == 0;
        all = all && disk.crash_image(1, packfs::testing::Damage::each_random) != nullptr;
      }
      right[static_cast<std::size_t>(i)] = all && disk.lseek(fd, 0, SEEK_END) == kRounds && disk.close(fd) == 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::array{true, true, true, true});
  CHECK(disk.calls() == kThreads * (1 + 2 * kRounds));
  CHECK(names("/") == std::set<std::string>{".", "..", "a", "b", "c", "d"});
}

TEST_CASE("a file is locked by one open file, until that is closed", "[crash_disk]") {
  CrashDisk disk;
  const int first = disk.openat(AT_FDCWD, "/lock", O_RDWR | O_CREAT, 0600);
  const int second = disk.openat(AT_FDCWD, "/lock", O_RDWR, 0);
  CHECK(disk.try_lock(first) == 0);
  CHECK(disk.try_lock(first) == 0);
  CHECK(disk.try_lock(second) == -EAGAIN);
  const int copy = disk.dup(first);
  disk.close(first);
  CHECK(disk.try_lock(second) == -EAGAIN);
  disk.close(copy);
  CHECK(disk.try_lock(second) == 0);
}
