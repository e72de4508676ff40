#include "base/system_io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <string>

#include "base/unique_fd.h"
#include "support/temp_dir.h"

using namespace packfs::base;
using packfs::testing::TempDir;

namespace {

struct RealCalls {
  SystemIo io;
  TempDir directory;
  unique_fd top{io, io.openat(AT_FDCWD, directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};

  unique_fd create(const char* name) {
    unique_fd fd(io, io.openat(top.get(), name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    REQUIRE(fd);
    return fd;
  }
  struct statx status(const char* name) {
    struct statx out{};
    REQUIRE(io.statx(top.get(), name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &out) == 0);
    return out;
  }
  bool exists(const char* name) {
    struct statx out{};
    return io.statx(top.get(), name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &out) == 0;
  }
};

}  // namespace

TEST_CASE_METHOD(RealCalls, "failures come back as negated errno values", "[system_io]") {
  struct statx out{};
  char byte = 0;
  void* address = nullptr;
  CHECK(io.openat(top.get(), "absent", O_RDONLY, 0) == -ENOENT);
  CHECK(io.openat2(top.get(), "absent", open_how{.flags = O_RDONLY, .mode = 0, .resolve = 0}) == -ENOENT);
  CHECK(io.statx(top.get(), "absent", 0, STATX_TYPE, &out) == -ENOENT);
  CHECK(io.close(-1) == -EBADF);
  CHECK(io.dup(-1) == -EBADF);
  CHECK(io.read(-1, &byte, 1) == -EBADF);
  CHECK(io.pread(-1, &byte, 1, 0) == -EBADF);
  CHECK(io.write(-1, &byte, 1) == -EBADF);
  CHECK(io.pwrite(-1, &byte, 1, 0) == -EBADF);
  CHECK(io.lseek(-1, 0, SEEK_SET) == -EBADF);
  CHECK(io.ftruncate(-1, 0) == -EBADF);
  CHECK(io.fsync(-1) == -EBADF);
  CHECK(io.fdatasync(-1) == -EBADF);
  CHECK(io.sync_file_range(-1, 0, 1) == -EBADF);
  CHECK(io.getdents64(-1, &byte, 1) == -EBADF);
  CHECK(io.mmap(4096, top.get(), 0, &address) == -ENODEV);
  CHECK(io.munmap(nullptr, 0) == -EINVAL);
  CHECK(io.isatty(-1) == 0);
  CHECK(io.isatty(top.get()) == 0);
}

TEST_CASE_METHOD(RealCalls, "openat2 refuses what leaves the directory", "[system_io]") {
  REQUIRE(io.symlinkat("/", top.get(), "root") == 0);
  const open_how how{.flags = O_RDONLY | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_BENEATH};
  CHECK(io.openat2(top.get(), "..", how) == -EXDEV);
  CHECK(io.openat2(top.get(), "root", how) == -EXDEV);
  const unique_fd self(io, io.openat2(top.get(), ".", how));
  CHECK(self);
}

TEST_CASE_METHOD(RealCalls, "bytes are written, read, moved and cut", "[system_io]") {
  const unique_fd fd = create("file");
  CHECK(io.write(fd.get(), "hello", 5) == 5);
  CHECK(io.pwrite(fd.get(), "J", 1, 0) == 1);
  char first[] = " wor";
  char second[] = "ld";
  const iovec pieces[] = {{first, 4}, {second, 2}};
  CHECK(io.writev(fd.get(), pieces, 2) == 6);
  char text[32] = {};
  CHECK(io.pread(fd.get(), text, sizeof text, 1) == 10);
  CHECK(std::string(text) == "ello world");
  CHECK(io.lseek(fd.get(), 0, SEEK_SET) == 0);
  CHECK(io.read(fd.get(), text, 5) == 5);
  CHECK(std::string(text, 5) == "Jello");

  const unique_fd copy = create("copy");
  off_t from = 6;
  CHECK(io.copy_file_range(fd.get(), &from, copy.get(), nullptr, 100) == 5);
  CHECK(from == 11);
  CHECK(io.ftruncate(fd.get(), 3) == 0);
  CHECK(status("file").stx_size == 3);
  CHECK(io.fallocate(fd.get(), 0, 0, 8192) == 0);
  CHECK(status("file").stx_size == 8192);
  CHECK(io.fsync(fd.get()) == 0);
  CHECK(io.fdatasync(fd.get()) == 0);
  CHECK(io.sync_file_range(fd.get(), 0, 8192) == 0);
}

TEST_CASE_METHOD(RealCalls, "a duplicate is another descriptor, closed on exec", "[system_io]") {
  const unique_fd copy(io, io.dup(top.get()));
  REQUIRE(copy);
  CHECK(copy.get() != top.get());
  CHECK((::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE_METHOD(RealCalls, "entries of every kind are made, listed, linked, renamed and removed", "[system_io]") {
  REQUIRE(io.mkdirat(top.get(), "d", 0755) == 0);
  REQUIRE(io.mknodat(top.get(), "fifo", S_IFIFO | 0600, 0) == 0);
  REQUIRE(io.symlinkat("target", top.get(), "link") == 0);
  create("file");
  REQUIRE(io.linkat(top.get(), "file", top.get(), "file2", 0) == 0);
  CHECK(status("file").stx_nlink == 2);
  CHECK(S_ISFIFO(status("fifo").stx_mode));
  char target[16];
  CHECK(io.readlinkat(top.get(), "link", target, sizeof target) == 6);
  CHECK(std::string(target, 6) == "target");

  alignas(8) std::array<char, 4096> buffer;
  std::set<std::string> names;
  for (ssize_t got = 0; (got = io.getdents64(top.get(), buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      dirent64 entry;
      std::memcpy(&entry, buffer.data() + at, offsetof(dirent64, d_name));
      names.insert(buffer.data() + at + offsetof(dirent64, d_name));
      at += entry.d_reclen;
    }
  }
  CHECK(names == std::set<std::string>{".", "..", "d", "fifo", "link", "file", "file2"});

  CHECK(io.renameat2(top.get(), "file", top.get(), "fifo", RENAME_NOREPLACE) == -EEXIST);
  CHECK(io.renameat2(top.get(), "file", top.get(), "moved", 0) == 0);
  CHECK(io.unlinkat(top.get(), "moved", 0) == 0);
  CHECK(io.unlinkat(top.get(), "d", 0) == -EISDIR);
  CHECK(io.unlinkat(top.get(), "d", AT_REMOVEDIR) == 0);
  CHECK_FALSE(exists("d"));
  CHECK(exists("file2"));
}

TEST_CASE_METHOD(RealCalls, "attributes of a symlink are its own, its target's stay", "[system_io]") {
  create("file");
  REQUIRE(io.symlinkat("file", top.get(), "link") == 0);
  REQUIRE(io.fchmodat(top.get(), "file", 0640) == 0);
  const int changed = io.fchmodat(top.get(), "link", 0777);
  CHECK((changed == 0 || changed == -EOPNOTSUPP));
  CHECK((status("file").stx_mode & 07777) == 0640);

  const timespec old[2] = {{.tv_sec = -5, .tv_nsec = 7}, {.tv_sec = -5, .tv_nsec = 7}};
  const timespec recent[2] = {{.tv_sec = 5, .tv_nsec = 9}, {.tv_sec = 5, .tv_nsec = 9}};
  REQUIRE(io.utimensat(top.get(), "file", recent) == 0);
  REQUIRE(io.utimensat(top.get(), "link", old) == 0);
  CHECK(status("file").stx_mtime.tv_sec == 5);
  CHECK(status("file").stx_mtime.tv_nsec == 9);
  CHECK(status("link").stx_mtime.tv_sec == -5);

  REQUIRE(io.fchownat(top.get(), "link", ::getuid(), ::getgid()) == 0);
  if (::getuid() == 0) {
    REQUIRE(io.fchownat(top.get(), "link", 12, 34) == 0);
    CHECK(status("link").stx_uid == 12);
    CHECK(status("link").stx_gid == 34);
    CHECK(status("file").stx_uid == 0);
  }
}

TEST_CASE_METHOD(RealCalls, "without a path the descriptor itself is meant", "[system_io]") {
  const unique_fd fd = create("file");
  REQUIRE(io.fchmod(fd.get(), 04711) == 0);
  CHECK((status("file").stx_mode & 07777) == 04711);
  const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 2, .tv_nsec = 3}};
  REQUIRE(io.utimensat(fd.get(), nullptr, times) == 0);
  CHECK(status("file").stx_mtime.tv_sec == 2);
  CHECK(status("file").stx_mtime.tv_nsec == 3);
  REQUIRE(io.fchownat(fd.get(), "", ::getuid(), ::getgid()) == 0);
  if (::getuid() == 0) {
    REQUIRE(io.fchownat(fd.get(), "", 7, 8) == 0);
    CHECK(status("file").stx_uid == 7);
    CHECK(status("file").stx_gid == 8);
  }
}

TEST_CASE_METHOD(RealCalls, "an empty path means what a handle stands for that was opened by path only",
                 "[system_io]") {
  SystemIo tried(GENERATE(SystemIo::Kernel::current, SystemIo::Kernel::old));
  create("file");
  REQUIRE(io.symlinkat("file", top.get(), "link") == 0);
  REQUIRE(io.mknodat(top.get(), "fifo", S_IFIFO | 0600, 0) == 0);
  const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 2, .tv_nsec = 3}};
  const unique_fd fifo(io, io.openat(top.get(), "fifo", O_PATH | O_NOFOLLOW | O_CLOEXEC, 0));
  REQUIRE(tried.fchmodat(fifo.get(), "", 0631) == 0);
  CHECK((status("fifo").stx_mode & 07777) == 0631);
  REQUIRE(tried.utimensat(fifo.get(), "", times) == 0);
  CHECK(status("fifo").stx_mtime.tv_sec == 2);

  const unique_fd link(io, io.openat(top.get(), "link", O_PATH | O_NOFOLLOW | O_CLOEXEC, 0));
  REQUIRE(tried.utimensat(link.get(), "", times) == 0);
  CHECK(status("link").stx_mtime.tv_nsec == 3);
  CHECK(status("file").stx_mtime.tv_sec != 2);
  CHECK(tried.setxattrat(link.get(), "", "user.x", "1", 1) == -EPERM);
  if (::getuid() == 0) {
    REQUIRE(tried.fchownat(link.get(), "", 12, 34) == 0);
    CHECK(status("link").stx_uid == 12);
    CHECK(status("file").stx_uid == 0);
    REQUIRE(tried.setxattrat(link.get(), "", "trusted.x", "one", 3) == 0);
    char value[8];
    CHECK(io.getxattrat(top.get(), "link", "trusted.x", value, sizeof value) == 3);
    CHECK(io.getxattrat(top.get(), "file", "trusted.x", value, sizeof value) == -ENODATA);
  }
  CHECK(tried.setxattrat(-1, "", "user.x", "1", 1) == -EBADF);
  CHECK(tried.fchmodat(-1, "", 0600) == -EBADF);
}

TEST_CASE_METHOD(RealCalls, "a kernel without fchmodat2 changes no mode by name", "[system_io]") {
  SystemIo old(SystemIo::Kernel::old);
  create("file");
  CHECK(old.fchmodat(top.get(), "file", 0600) == -EOPNOTSUPP);
  CHECK((status("file").stx_mode & 07777) == 0644);
}

TEST_CASE_METHOD(RealCalls, "a file's mapping shows the file, fresh memory is zero and writable", "[system_io]") {
  const unique_fd fd = create("file");
  REQUIRE(io.write(fd.get(), "mapped", 6) == 6);
  void* address = nullptr;
  REQUIRE(io.mmap(6, fd.get(), 0, &address) == 0);
  CHECK(std::memcmp(address, "mapped", 6) == 0);
  REQUIRE(io.pwrite(fd.get(), "M", 1, 0) == 1);
  CHECK(*static_cast<volatile char*>(address) == 'M');
  CHECK(io.munmap(address, 6) == 0);

  constexpr std::size_t kLength = 1 << 20;
  REQUIRE(io.mmap(kLength, -1, 0, &address) == 0);
  auto* memory = static_cast<char*>(address);
  CHECK(memory[kLength - 1] == 0);
  memory[17] = 1;
  CHECK(io.madvise(address, kLength, MADV_DONTNEED) == 0);
  CHECK(memory[17] == 0);
  CHECK(io.munmap(address, kLength) == 0);
}

TEST_CASE("random bytes differ from one call to the next", "[system_io]") {
  std::array<char, 32> first{};
  std::array<char, 32> second{};
  CHECK(system_io().getrandom(first.data(), first.size()) == 32);
  CHECK(system_io().getrandom(second.data(), second.size()) == 32);
  CHECK(first != second);
}

TEST_CASE("there is one system Io", "[system_io]") { CHECK(&system_io() == &system_io()); }
