#include "host/contained.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "host/status.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using host::Mounts;

namespace {

/// Below one handle: a/b, a/to_b (a symlink to b), outside (a symlink out), file.
class Fixture {
 public:
  Fixture() : io(base::system_io()) {
    REQUIRE(::mkdir(dir.path("root").c_str(), 0755) == 0);
    REQUIRE(::mkdir(dir.path("elsewhere").c_str(), 0755) == 0);
    REQUIRE(::mkdir(dir.path("elsewhere/b").c_str(), 0755) == 0);
    REQUIRE(::mkdir(dir.path("root/a").c_str(), 0755) == 0);
    REQUIRE(::mkdir(dir.path("root/a/b").c_str(), 0755) == 0);
    REQUIRE(::symlink("b", dir.path("root/a/to_b").c_str()) == 0);
    REQUIRE(::symlink(dir.path("elsewhere").c_str(), dir.path("root/outside").c_str()) == 0);
    write_file(dir.path("root/file"), "x");
    root = base::unique_fd(io, ::open(dir.path("root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  ErrorCode refused(std::string_view path) {
    auto opened = host::open_beneath(io, root.get(), path, Mounts::stay);
    REQUIRE_FALSE(opened);
    return opened.error().code();
  }

  TempDir dir{kTmpfs};
  FaultIo io;
  base::unique_fd root;
};

}  // namespace

TEST_CASE("a contained open reaches what is below, and nothing else", "[host][contained]") {
  Fixture fixture;
  // Old kernels lack openat2, old sandboxes forbid it: the fallback must behave alike.
  const int refusal = GENERATE(0, ENOSYS, EPERM);
  if (refusal != 0) fixture.io.fail({.call = "openat2", .for_ever = true}, refusal);

  for (const std::string path : {"a", "a/b", ""}) {
    auto opened = host::open_beneath(fixture.io, fixture.root.get(), path, Mounts::stay);
    REQUIRE(opened);
    const auto found = host::status_of(fixture.io, opened->get());
    const auto wanted = host::status_at(fixture.io, AT_FDCWD, fixture.dir.path("root/" + path).c_str());
    REQUIRE(found);
    REQUIRE(wanted);
    CHECK(host::identity_of(*found) == host::identity_of(*wanted));
  }
  for (const std::string path : {"..", "a/..", "a/../a", ".", "a/.", "/", "/a", "a/", "a//b", "../root/a"}) {
    CAPTURE(path);
    CHECK(fixture.refused(path) == ErrorCode::escapes_root);
  }
  for (const std::string path : {"outside", "outside/b", "a/to_b", "file", "file/b"}) {
    CAPTURE(path);
    const ErrorCode code = fixture.refused(path);
    CHECK((code == ErrorCode::symlink_loop || code == ErrorCode::not_a_directory));
  }
  CHECK(fixture.refused("missing") == ErrorCode::no_entry);
  CHECK(fixture.io.open_descriptors() == 0);
}

TEST_CASE("a contained open reaches below PATH_MAX", "[host][contained]") {
  Fixture fixture;
  const int refusal = GENERATE(0, ENOSYS);
  if (refusal != 0) fixture.io.fail({.call = "openat2", .for_ever = true}, refusal);
  make_deep_tree(fixture.dir.path("root/a"), 100, 200);
  std::string path = "a";
  for (int i = 0; i < 100; ++i) path += "/" + std::string(200, 'd');
  auto opened = host::open_beneath(fixture.io, fixture.root.get(), path, Mounts::stay);
  REQUIRE(opened);
  CHECK(host::status_at(fixture.io, opened->get(), "bottom"));
  CHECK(fixture.io.most_open_descriptors() <= 3);
}

TEST_CASE("a contained open asks again when the kernel says so, but not for ever", "[host][contained]") {
  Fixture fixture;
  SECTION("it is asked again") {
    for (std::uint64_t nth = 1; nth <= 5; ++nth) fixture.io.fail({.call = "openat2", .nth = nth}, EAGAIN);
    CHECK(host::open_beneath(fixture.io, fixture.root.get(), "a/b", Mounts::stay));
    CHECK(fixture.io.count("openat2") == 6);
  }
  SECTION("in the end it is busy") {
    fixture.io.fail({.call = "openat2", .for_ever = true}, EAGAIN);
    CHECK(fixture.refused("a/b") == ErrorCode::busy);
    CHECK(fixture.io.count("openat2") == 128);
  }
}

TEST_CASE("another mount is entered only where that is asked for", "[host][contained]") {
  FaultIo io(base::system_io());
  const int refusal = GENERATE(0, ENOSYS);
  if (refusal != 0) io.fail({.call = "openat2", .for_ever = true}, refusal);
  const base::unique_fd root(base::system_io(), ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(host::open_beneath(io, root.get(), "proc/sys", Mounts::cross));
  const auto refused = host::open_beneath(io, root.get(), "proc/sys", Mounts::stay);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == ErrorCode::escapes_root);
}
