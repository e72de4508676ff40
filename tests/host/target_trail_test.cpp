#include "host/target_trail.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "host/export.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

host::TargetTrail trail_in(base::Io& io, const std::string& path) {
  base::unique_fd fd(io, io.openat(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  return {io, std::move(fd), host::Mounts::stay};
}

host::FileIdentity identity(base::Io& io, int fd) { return host::identity_of(*host::status_of(io, fd)); }

}  // namespace

TEST_CASE("a target trail does not take another directory for the one it left", "[host][export][trail]") {
  const TempDir dir(kTmpfs);
  // Short paths are resolved anew, those beyond PATH_MAX mostly step by step.
  const unsigned name_bytes = GENERATE(1U, 250U);
  const std::string name(name_bytes, 'd');
  make_deep_tree(dir.path(), 40, name_bytes);
  FaultIo io(base::system_io());
  auto trail = trail_in(io, dir.path());
  std::vector<host::FileIdentity> seen{identity(io, trail.current())};
  for (int i = 0; i < 40; ++i) {
    REQUIRE(trail.enter(name));
    seen.push_back(identity(io, trail.current()));
  }

  SECTION("undisturbed it finds all of them") {
    while (trail.depth() > 0) {
      REQUIRE(trail.leave());
      CHECK(identity(io, trail.current()) == seen[trail.depth()]);
    }
    CHECK(trail.path().empty());
  }
  SECTION("another tree takes its place at the second level") {
    REQUIRE(::rename(dir.path(name + "/" + name).c_str(), dir.path("moved").c_str()) == 0);
    make_deep_tree(dir.path(name), 39, name_bytes);
    bool lost = false;
    while (trail.depth() > 0) {
      const auto left = trail.leave();
      if (left) {
        CHECK(identity(io, trail.current()) == seen[trail.depth()]);
        continue;
      }
      lost = true;
      CHECK(left.error().code() == ErrorCode::stale);
      CHECK(trail.current() < 0);
      CHECK_FALSE(trail.enter(name));
    }
    CHECK(lost);
    // What is above the place of the exchange is found again.
    CHECK(identity(io, trail.current()) == seen[0]);
  }
}

TEST_CASE("what an export can no longer reach is named, and the rest is written", "[host][export][trail]") {
  const TempDir dir(kTmpfs);
  for (const char* name : {"source", "source/a", "source/a/b", "source/a/c", "source/z"}) {
    REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  }
  for (const char* name : {"source/a/b/1", "source/a/c/2", "source/z/3"}) write_file(dir.path(name), name);
  const auto imported = import_into_memory({dir.path("source")});
  FaultIo io(base::system_io());
  // While a/b is written, a is exchanged for a directory of somebody else's.
  io.before({.call = "openat", .path = "1"}, [&] {
    REQUIRE(::rename(dir.path("t/a").c_str(), dir.path("moved").c_str()) == 0);
    REQUIRE(::mkdir(dir.path("t/a").c_str(), 0711) == 0);
  });
  auto exporter = host::Exporter::open(io, imported.tree.view(), dir.path("t"), {});
  REQUIRE(exporter);
  REQUIRE(exporter->write_all());
  REQUIRE(exporter->report().failed.size() == 1);
  CHECK(exporter->report().failed[0].path == "a/c");
  REQUIRE(exporter->report().incomplete.size() == 1);
  CHECK(exporter->report().incomplete[0].path == "a");
  CHECK(read_file(dir.path("t/z/3")) == "source/z/3");
  struct stat status{};
  REQUIRE(::stat(dir.path("t/a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0711);
  CHECK(::access(dir.path("t/a/c").c_str(), F_OK) != 0);
}

TEST_CASE("a mount below the target is written into only where that is asked for", "[host][export][root]") {
  if (::geteuid() != 0) return;
  const TempDir dir(kTmpfs);
  for (const char* name : {"source", "source/m", "t", "t/m"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  write_file(dir.path("source/m/file"), "x");
  const auto imported = import_into_memory({dir.path("source")});
  // In a child with mounts of its own, which go with it.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", dir.path("t/m").c_str(), "tmpfs", 0, nullptr) != 0) {
      ::_exit(99);
    }
    const auto failures = [&](bool cross, int refusal) {
      FaultIo io(base::system_io());
      if (refusal != 0) io.fail({.call = "openat2", .for_ever = true}, refusal);
      host::ExportOptions options;
      options.cross_mounts = cross;
      auto exporter = host::Exporter::open(io, imported.tree.view(), dir.path("t"), options);
      if (!exporter || !exporter->write_all()) return -1;
      if (cross != (::access(dir.path("t/m/file").c_str(), F_OK) == 0)) return -2;
      ::unlink(dir.path("t/m/file").c_str());
      return static_cast<int>(exporter->report().failed.size());
    };
    if (failures(false, 0) != 1) ::_exit(1);
    if (failures(false, ENOSYS) != 1) ::_exit(2);
    if (failures(true, 0) != 0) ::_exit(3);
    if (failures(true, ENOSYS) != 0) ::_exit(4);
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 99) {
    WARN("no mount namespace to be had here: not tested");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}
