#include "host/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "host/directory_reader.h"
#include "host/directory_trail.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

base::unique_fd open_directory(base::Io& io, const std::string& path) {
  return {io, io.openat(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};
}

/// A filesystem that does not tell types in its directories.
class TypelessIo final : public FaultIo {
 public:
  using FaultIo::FaultIo;
  ssize_t getdents64(int fd, void* buffer, std::size_t length) override {
    const ssize_t got = FaultIo::getdents64(fd, buffer, length);
    auto* bytes = static_cast<char*>(buffer);
    for (ssize_t at = 0; at < got;) {
      std::uint16_t record = 0;
      std::memcpy(&record, bytes + at + offsetof(dirent64, d_reclen), sizeof record);
      bytes[at + static_cast<ssize_t>(offsetof(dirent64, d_type))] = DT_UNKNOWN;
      at += record;
    }
    return got;
  }
};

std::vector<std::string> names_of(const host::Names<host::Nothing>& names) {
  std::vector<std::string> list;
  list.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i]);
  return list;
}

host::SharedDirectory shared(base::Io& io, const std::string& path) {
  return std::make_shared<const base::unique_fd>(open_directory(io, path));
}

}  // namespace

TEST_CASE("a directory of many names is read whole and in byte order", "[host][walk]") {
  const TempDir dir(kTmpfs);
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    // Long enough for several fillings of the buffer.
    expected.push_back(std::to_string(i) + std::string(100, 'x') + "\xff");
    write_file(dir.path(expected.back()), "");
  }
  for (const char* name : {"sub", "Sub", "\x80"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  std::ranges::sort(expected);
  TypelessIo typeless(base::system_io());
  base::Io& io = GENERATE_REF(false, true) ? static_cast<base::Io&>(typeless) : base::system_io();
  const auto directory = open_directory(io, dir.path());
  const auto names = host::read_directory(io, directory.get());
  REQUIRE(names);
  CHECK(names_of(names->others) == expected);
  CHECK(names_of(names->directories) == std::vector<std::string>{"Sub", "sub", "\x80"});
}

TEST_CASE("a directory that cannot be read to its end is an error", "[host][walk]") {
  const TempDir dir(kTmpfs);
  for (int i = 0; i < 5000; ++i) write_file(dir.path(std::to_string(i) + std::string(100, 'x')), "");
  FaultIo io(base::system_io());
  const auto directory = open_directory(io, dir.path());
  io.fail({.call = "getdents64", .nth = GENERATE(1U, 2U, 3U)}, EIO);
  const auto names = host::read_directory(io, directory.get());
  REQUIRE_FALSE(names);
  CHECK(names.error().code() == ErrorCode::io_error);
}

TEST_CASE("a trail keeps few directories open and finds back from any depth", "[host][walk]") {
  const TempDir dir(kTmpfs);
  make_deep_tree(dir.path(), 300, 100);
  FaultIo io(base::system_io());
  auto first = shared(io, dir.path());
  const auto status = host::status_of(io, first->get());
  REQUIRE(status);
  host::DirectoryTrail trail(io, std::move(first), host::identity_of(*status));
  std::vector<host::FileIdentity> seen{host::identity_of(*status)};
  for (int i = 0; i < 300; ++i) {
    const auto below = trail.descend(std::string(100, 'd'));
    REQUIRE(below);
    seen.push_back(host::identity_of(*below));
  }
  while (trail.depth() > 0) {
    trail.ascend();
    REQUIRE(trail.current());
    const auto now = host::status_of(io, trail.current()->get());
    REQUIRE(now);
    CHECK(host::identity_of(*now) == seen[trail.depth()]);
  }
  CHECK(io.most_open_descriptors() <= host::DirectoryTrail::kKeptOpen + 3);
}

TEST_CASE("a trail notices a directory that was moved away, and recovers above it", "[host][walk]") {
  const TempDir dir(kTmpfs);
  make_deep_tree(dir.path(), 10, 1);
  FaultIo io(base::system_io());
  auto first = shared(io, dir.path());
  const auto status = host::status_of(io, first->get());
  host::DirectoryTrail trail(io, std::move(first), host::identity_of(*status));
  for (int i = 0; i < 10; ++i) REQUIRE(trail.descend("d"));

  SECTION("the child moved, the parent did not: the parent is found by its path") {
    const std::string level4 = dir.path("d/d/d/d");
    REQUIRE(::rename((level4 + "/d").c_str(), dir.path("moved").c_str()) == 0);
    while (trail.depth() > 4) trail.ascend();
    REQUIRE(trail.current());
    const auto now = host::status_of(io, trail.current()->get());
    CHECK(host::identity_of(*now) == host::identity_of(*host::status_at(io, AT_FDCWD, level4.c_str())));
  }
  SECTION("another directory took the parent's place: it is not mistaken for it") {
    REQUIRE(::rename(dir.path("d/d/d").c_str(), dir.path("moved").c_str()) == 0);
    // From level 6 on handles are closed; ".." still leads to the moved ones, which are what they were.
    REQUIRE(::rename(dir.path("moved/d/d/d").c_str(), dir.path("moved again").c_str()) == 0);
    make_deep_tree(dir.path("d/d"), 4, 1);
    while (trail.depth() > 5) trail.ascend();
    CHECK_FALSE(trail.current());
    CHECK_FALSE(trail.descend("d"));
    while (trail.depth() > 2) trail.ascend();
    REQUIRE(trail.current());
    const auto now = host::status_of(io, trail.current()->get());
    CHECK(host::identity_of(*now) == host::identity_of(*host::status_at(io, AT_FDCWD, dir.path("d/d").c_str())));
  }
}
