#include "support/fault_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"

using packfs::base::system_io;
using packfs::testing::FaultIo;
using packfs::testing::TempDir;

namespace {

struct FaultyCalls {
  FaultIo io{system_io()};
  TempDir directory;
  std::string file = directory.path("file");

  int open() { return io.openat(AT_FDCWD, file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); }
};

}  // namespace

TEST_CASE_METHOD(FaultyCalls, "calls are recorded with name, descriptor, path and result", "[fault_io]") {
  const int fd = open();
  REQUIRE(fd >= 0);
  CHECK(io.write(fd, "abc", 3) == 3);
  CHECK(io.unlinkat(AT_FDCWD, "/does/not/exist", 0) == -ENOENT);
  CHECK(io.close(fd) == 0);
  const auto log = io.log();
  REQUIRE(log.size() == 4);
  CHECK(log[0].name == "openat");
  CHECK(log[0].path == file);
  CHECK(log[0].result == fd);
  CHECK(log[1].name == "write");
  CHECK(log[1].fd == fd);
  CHECK(log[1].result == 3);
  CHECK(log[2].result == -ENOENT);
  CHECK_FALSE(log[2].injected);
  CHECK(io.count() == 4);
  CHECK(io.count("write") == 1);
  io.clear_log();
  CHECK(io.count() == 0);
}

TEST_CASE_METHOD(FaultyCalls, "the n-th call of a name fails once and is not made", "[fault_io]") {
  const int fd = open();
  io.fail({.call = "write", .nth = 2}, ENOSPC);
  CHECK(io.write(fd, "a", 1) == 1);
  CHECK_FALSE(io.struck());
  CHECK(io.fsync(fd) == 0);
  CHECK(io.write(fd, "b", 1) == -ENOSPC);
  CHECK(io.struck());
  CHECK(io.write(fd, "c", 1) == 1);
  char text[4] = {};
  CHECK(io.pread(fd, text, 3, 0) == 2);
  CHECK(std::string(text) == "ac");
  io.close(fd);
}

TEST_CASE_METHOD(FaultyCalls, "a lasting fault stays until it is healed, counted over calls of any name",
                 "[fault_io]") {
  const int fd = open();
  io.fail({.nth = 2, .for_ever = true}, EIO);
  CHECK(io.write(fd, "a", 1) == 1);
  CHECK(io.write(fd, "a", 1) == -EIO);
  CHECK(io.fsync(fd) == -EIO);
  io.heal();
  CHECK(io.fsync(fd) == 0);
  CHECK_FALSE(io.struck());
  io.close(fd);
}

TEST_CASE_METHOD(FaultyCalls, "a fault can wait for a path", "[fault_io]") {
  io.fail({.call = "mkdirat", .path = directory.path("b")}, EACCES);
  CHECK(io.mkdirat(AT_FDCWD, directory.path("a").c_str(), 0700) == 0);
  CHECK(io.mkdirat(AT_FDCWD, directory.path("b").c_str(), 0700) == -EACCES);
  CHECK(io.mkdirat(AT_FDCWD, directory.path("b").c_str(), 0700) == 0);
}

TEST_CASE_METHOD(FaultyCalls, "every kind of transfer can be cut short, writev across its pieces", "[fault_io]") {
  const int fd = open();
  io.shorten({.for_ever = true}, 4);
  char first[] = "abc";
  char second[] = "defg";
  const iovec pieces[] = {{first, 3}, {second, 4}};
  CHECK(io.writev(fd, pieces, 2) == 4);
  CHECK(io.write(fd, "123456", 6) == 4);
  CHECK(io.pwrite(fd, "xyzxyz", 6, 8) == 4);
  char text[20] = {};
  CHECK(io.pread(fd, text, sizeof text, 0) == 4);
  CHECK(io.lseek(fd, 4, SEEK_SET) == 4);
  CHECK(io.read(fd, text + 4, 16) == 4);
  CHECK(io.pread(fd, text + 8, 12, 8) == 4);
  CHECK(std::string(text) == "abcd1234xyzx");
  CHECK(io.getrandom(text, 16) == 4);
  REQUIRE(io.symlinkat("a long target", AT_FDCWD, directory.path("link").c_str()) == 0);
  CHECK(io.readlinkat(AT_FDCWD, directory.path("link").c_str(), text, sizeof text) == 4);
  io.heal();
  io.shorten({.call = "read"}, 0);
  CHECK(io.read(fd, text, 4) == 0);
  CHECK(io.log().back().injected);
  io.close(fd);
}

TEST_CASE_METHOD(FaultyCalls, "a transfer no longer than the limit is left alone", "[fault_io]") {
  const int fd = open();
  io.shorten({.call = "write", .for_ever = true}, 4);
  CHECK(io.write(fd, "1234", 4) == 4);
  CHECK_FALSE(io.struck());
  CHECK(io.write(fd, "12345", 5) == 4);
  CHECK(io.struck());
  io.close(fd);
}

TEST_CASE_METHOD(FaultyCalls, "a hook runs before its call and may use the Io itself", "[fault_io]") {
  io.before({.call = "statx"}, [&] {
    const int fd = open();
    io.write(fd, "12345", 5);
    io.close(fd);
  });
  struct statx status{};
  CHECK(io.statx(AT_FDCWD, file.c_str(), 0, STATX_SIZE, &status) == 0);
  CHECK(status.stx_size == 5);
  REQUIRE(io.unlinkat(AT_FDCWD, file.c_str(), 0) == 0);
  CHECK(io.statx(AT_FDCWD, file.c_str(), 0, STATX_SIZE, &status) == -ENOENT);
}

TEST_CASE_METHOD(FaultyCalls, "descriptors are counted, those of a failing close as closed", "[fault_io]") {
  const int first = open();
  const int second = io.dup(first);
  CHECK(io.open_descriptors() == 2);
  io.fail({.call = "close"}, EIO);
  CHECK(io.close(first) == -EIO);
  CHECK(::fcntl(first, F_GETFD) == -1);
  CHECK(io.close(second) == 0);
  CHECK(io.open_descriptors() == 0);
  CHECK(io.most_open_descriptors() == 2);
}

TEST_CASE_METHOD(FaultyCalls, "calls from many threads are all counted, and one of them meets the fault",
                 "[fault_io]") {
  const int fd = open();
  io.fail({.call = "pwrite", .nth = 1000}, EIO);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        if (io.pwrite(fd, "x", 1, i) == -EIO) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 1);
  CHECK(io.count("pwrite") == 2000);
  io.close(fd);
}
