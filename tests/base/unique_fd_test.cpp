#include "base/unique_fd.h"

#include <fcntl.h>

#include <catch2/catch.hpp>

#include "support/fault_io.h"

using packfs::base::system_io;
using packfs::base::unique_fd;
using packfs::testing::FaultIo;

namespace {
int open_root(FaultIo& io) { return io.openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0); }
}  // namespace

TEST_CASE("a descriptor is closed once, through the Io it came from", "[unique_fd]") {
  FaultIo io(system_io());
  {
    const unique_fd fd(io, open_root(io));
    CHECK(fd);
    CHECK(io.open_descriptors() == 1);
  }
  CHECK(io.open_descriptors() == 0);
  CHECK(io.count("close") == 1);
}

TEST_CASE("an empty one, or one made of a failed open, closes nothing", "[unique_fd]") {
  FaultIo io(system_io());
  {
    const unique_fd empty;
    CHECK_FALSE(empty);
    const unique_fd failed(io, io.openat(AT_FDCWD, "/does/not/exist", O_RDONLY, 0));
    CHECK_FALSE(failed);
  }
  CHECK(io.count("close") == 0);
}

TEST_CASE("moving hands the descriptor over and closes the one replaced", "[unique_fd]") {
  FaultIo io(system_io());
  unique_fd first(io, open_root(io));
  const int number = first.get();
  unique_fd second = std::move(first);
  CHECK(second.get() == number);
  CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): the state left behind is what is tested
  unique_fd third(io, open_root(io));
  third = std::move(second);
  CHECK(third.get() == number);
  CHECK(io.open_descriptors() == 1);
  unique_fd& same = third;
  third = std::move(same);
  CHECK(third.get() == number);
  CHECK(io.open_descriptors() == 1);
}

TEST_CASE("a released descriptor is the caller's to close", "[unique_fd]") {
  FaultIo io(system_io());
  unique_fd fd(io, open_root(io));
  const int number = fd.release();
  CHECK_FALSE(fd);
  fd.reset();
  CHECK(io.count("close") == 0);
  CHECK(io.close(number) == 0);
}
