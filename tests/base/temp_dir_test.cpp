#include "support/temp_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

using packfs::testing::remove_tree;
using packfs::testing::TempDir;

namespace {

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

void make_file(int dirfd, const char* name) {
  const int fd = ::openat(dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  ::close(fd);
}

// A tree that an unprivileged process has to change modes in before it can remove it.
void make_locked_tree(const std::string& top) {
  const std::string inner = top + "/a/b/c";
  ::mkdir((top + "/a").c_str(), 0700);
  ::mkdir((top + "/a/b").c_str(), 0700);
  ::mkdir(inner.c_str(), 0700);
  make_file(AT_FDCWD, (inner + "/file").c_str());
  ::chmod(inner.c_str(), 0);
  ::chmod((top + "/a/b").c_str(), 0500);
  ::chmod((top + "/a").c_str(), 0100);
}

}  // namespace

TEST_CASE("a temporary directory is fresh, private, and gone afterwards", "[temp_dir]") {
  std::string path;
  {
    const TempDir directory;
    const TempDir other;
    path = directory.path();
    CHECK(path != other.path());
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
    make_file(AT_FDCWD, directory.path("x").c_str());
    REQUIRE(::mkdir(directory.path("d").c_str(), 0700) == 0);
    make_file(AT_FDCWD, directory.path("d/y").c_str());
  }
  CHECK_FALSE(exists(path));
}

TEST_CASE("a tree deeper than PATH_MAX is removed", "[temp_dir]") {
  const std::string name(20, 'n');
  std::string path;
  {
    const TempDir directory;
    path = directory.path();
    int at = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int depth = 0; depth < 400; ++depth) {
      REQUIRE(::mkdirat(at, name.c_str(), 0700) == 0);
      const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      REQUIRE(next >= 0);
      ::close(at);
      at = next;
    }
    make_file(at, "bottom");
    ::close(at);
  }
  CHECK_FALSE(exists(path));
}

TEST_CASE("what lies behind a symlink stays", "[temp_dir]") {
  const TempDir outside;
  make_file(AT_FDCWD, outside.path("kept").c_str());
  {
    const TempDir directory;
    REQUIRE(::symlink(outside.path().c_str(), directory.path("link").c_str()) == 0);
    REQUIRE(::mkdir(directory.path("d").c_str(), 0700) == 0);
    REQUIRE(::symlink(outside.path().c_str(), directory.path("d/link").c_str()) == 0);
  }
  CHECK(exists(outside.path("kept")));
}

TEST_CASE("closed directories are opened for removal, as any user", "[temp_dir]") {
  const TempDir parent;
  REQUIRE(::chmod(parent.path().c_str(), 0777) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
    const std::string top = parent.path("top");
    ::mkdir(top.c_str(), 0700);
    make_locked_tree(top);
    const bool removed = remove_tree(top);
    ::_exit(removed && !exists(top) ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("many entries are removed", "[temp_dir]") {
  std::string path;
  {
    const TempDir directory;
    path = directory.path();
    for (int i = 0; i < 3000; ++i) {
      const std::string name = directory.path(std::to_string(i));
      if (i % 20 == 0) {
        REQUIRE(::mkdir(name.c_str(), 0700) == 0);
      } else {
        make_file(AT_FDCWD, name.c_str());
      }
    }
  }
  CHECK_FALSE(exists(path));
}
