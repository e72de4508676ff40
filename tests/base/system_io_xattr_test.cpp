#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "base/system_io.h"
#include "base/unique_fd.h"
#include "support/temp_dir.h"

using namespace packfs::base;
using packfs::testing::TempDir;

namespace {

// A directory on some filesystem, with a file, a directory and a symlink to the file.
struct Tree {
  explicit Tree(const std::string& parent) : directory(parent) {
    const unique_fd file(io, io.openat(top.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    io.mkdirat(top.get(), "dir", 0700);
    io.symlinkat("file", top.get(), "link");
  }
  Io& io = system_io();
  TempDir directory;
  unique_fd top{io, io.openat(AT_FDCWD, directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};
};

// Those of the usual places whose filesystem keeps user attributes.
std::vector<std::string> places() {
  std::vector<std::string> found;
  for (const char* place : {"/tmp", "/dev/shm", "/var/tmp"}) {
    if (::access(place, W_OK) != 0) continue;
    Tree tree(place);
    if (tree.io.fsetxattr(tree.top.get(), "user.probe", "x", 1) == 0) found.emplace_back(place);
  }
  return found;
}

std::string get(Io& io, int dirfd, const char* path, const char* name) {
  char value[64];
  const ssize_t got = io.getxattrat(dirfd, path, name, value, sizeof value);
  return got < 0 ? "errno " + std::to_string(-got) : std::string(value, static_cast<std::size_t>(got));
}

std::string list(Io& io, int dirfd, const char* path) {
  char names[512];
  const ssize_t got = io.listxattrat(dirfd, path, names, sizeof names);
  if (got < 0) return "errno " + std::to_string(-got);
  std::string text(names, static_cast<std::size_t>(got));
  for (char& byte : text) {
    if (byte == '\0') byte = ' ';
  }
  return text;
}

std::string failed(int error_number) { return "errno " + std::to_string(error_number); }

// The return of `body` in a child process, whose own changes end with it.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// From here on the calling process has a kernel older than fchmodat2 and getxattrat.
bool refuse_new_syscalls() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 452, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 463, 0, 1),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 466, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  const sock_fprog program{.len = sizeof code / sizeof code[0], .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace

TEST_CASE("attributes by name are set, listed and read, with and without the newer syscalls", "[system_io][xattr]") {
  const auto kernel = GENERATE(SystemIo::Kernel::current, SystemIo::Kernel::old);
  for (const std::string& place : places()) {
    CAPTURE(place);
    SystemIo io(kernel);
    const Tree tree(place);
    const int top = tree.top.get();
    for (const char* name : {"file", "dir", "."}) {
      CHECK(list(io, top, name).empty());
      CHECK(io.setxattrat(top, name, "user.a", "one", 3) == 0);
      CHECK(io.setxattrat(top, name, "user.empty", "", 0) == 0);
      CHECK(get(io, top, name, "user.a") == "one");
      CHECK(get(io, top, name, "user.empty").empty());
      CHECK(io.setxattrat(top, name, "user.a", "two!", 4) == 0);
      CHECK(get(io, top, name, "user.a") == "two!");
      const std::string names = list(io, top, name);
      CHECK((names == "user.a user.empty " || names == "user.empty user.a "));
    }
  }
}

TEST_CASE("attributes by name fail the same way with and without the newer syscalls", "[system_io][xattr]") {
  const auto kernel = GENERATE(SystemIo::Kernel::current, SystemIo::Kernel::old);
  for (const std::string& place : places()) {
    CAPTURE(place);
    SystemIo io(kernel);
    const Tree tree(place);
    const int top = tree.top.get();
    char byte;
    CHECK(get(io, top, "file", "user.none") == failed(ENODATA));
    CHECK(get(io, top, "absent", "user.none") == failed(ENOENT));
    CHECK(list(io, top, "absent") == failed(ENOENT));
    CHECK(io.setxattrat(top, "absent", "user.a", "x", 1) == -ENOENT);
    CHECK(list(io, top, "") == failed(ENOENT));
    CHECK(list(io, top, "file/x") == failed(ENOTDIR));
    CHECK(list(io, 9999, "file") == failed(EBADF));
    CHECK(list(io, top, std::string(256, 'n').c_str()) == failed(ENAMETOOLONG));
    CHECK(list(io, top, std::string(5000, 'n').c_str()) == failed(ENAMETOOLONG));
    REQUIRE(io.setxattrat(top, "file", "user.a", "long value", 10) == 0);
    CHECK(io.getxattrat(top, "file", "user.a", nullptr, 0) == 10);
    CHECK(io.getxattrat(top, "file", "user.a", &byte, 1) == -ERANGE);
    CHECK(io.listxattrat(top, "file", nullptr, 0) == 7);
    CHECK(io.listxattrat(top, "file", &byte, 1) == -ERANGE);
    const std::vector<char> large(70'000);
    CHECK(io.setxattrat(top, "file", "user.big", large.data(), large.size()) == -E2BIG);
  }
}

TEST_CASE("a path from the current directory or the root needs no handle", "[system_io][xattr]") {
  const auto kernel = GENERATE(SystemIo::Kernel::current, SystemIo::Kernel::old);
  for (const std::string& place : places()) {
    SystemIo io(kernel);
    const Tree tree(place);
    const std::string file = tree.directory.path("file");
    CHECK(io.setxattrat(AT_FDCWD, file.c_str(), "user.a", "one", 3) == 0);
    CHECK(get(io, 9999, file.c_str(), "user.a") == "one");
    CHECK(list(io, AT_FDCWD, file.c_str()) == "user.a ");
  }
}

TEST_CASE("a symlink's attributes are its own, never its target's", "[system_io][xattr]") {
  const auto kernel = GENERATE(SystemIo::Kernel::current, SystemIo::Kernel::old);
  for (const std::string& place : places()) {
    CAPTURE(place);
    SystemIo io(kernel);
    const Tree tree(place);
    const int top = tree.top.get();
    REQUIRE(io.setxattrat(top, "file", "user.a", "target's", 8) == 0);
    CHECK(list(io, top, "link").find("user.a") == std::string::npos);
    CHECK(io.setxattrat(top, "link", "user.b", "x", 1) == -EPERM);
    CHECK(list(io, top, "file") == "user.a ");
    if (::geteuid() != 0) continue;
    REQUIRE(io.setxattrat(top, "link", "trusted.t", "link's", 6) == 0);
    CHECK(get(io, top, "link", "trusted.t") == "link's");
    CHECK(list(io, top, "link") == "trusted.t ");
    CHECK(get(io, top, "file", "trusted.t") == failed(ENODATA));
  }
}

TEST_CASE("attributes of an open file are set, listed, read and removed", "[system_io][xattr]") {
  for (const std::string& place : places()) {
    Io& io = system_io();
    const Tree tree(place);
    const unique_fd fd(io, io.openat(tree.top.get(), "file", O_RDONLY | O_CLOEXEC, 0));
    char text[16];
    CHECK(io.fsetxattr(fd.get(), "user.a", "one", 3) == 0);
    CHECK(io.fgetxattr(fd.get(), "user.a", text, sizeof text) == 3);
    CHECK(std::string(text, 3) == "one");
    CHECK(io.flistxattr(fd.get(), text, sizeof text) == 7);
    CHECK(io.fremovexattr(fd.get(), "user.a") == 0);
    CHECK(io.fremovexattr(fd.get(), "user.a") == -ENODATA);
    CHECK(io.flistxattr(fd.get(), text, sizeof text) == 0);
  }
}

TEST_CASE("a kernel that refuses the newer syscalls is found out and worked around", "[system_io][xattr]") {
  for (const std::string& place : places()) {
    CAPTURE(place);
    const Tree tree(place);
    const int top = tree.top.get();
    const int failure = in_child([&] {
      if (!refuse_new_syscalls()) return 1;
      SystemIo list_first;
      if (!list(list_first, top, "file").empty()) return 2;
      SystemIo set_first;
      if (set_first.setxattrat(top, "file", "user.a", "one", 3) != 0) return 3;
      SystemIo get_first;
      if (get(get_first, top, "file", "user.a") != "one") return 4;
      if (get(get_first, top, "file", "user.a") != "one") return 5;
      if (list(list_first, top, "file") != "user.a ") return 6;
      SystemIo mode;
      if (mode.fchmodat(top, "file", 0400) != -EOPNOTSUPP) return 7;
      if (mode.fchmodat(top, "file", 0400) != -EOPNOTSUPP) return 8;
      return 0;
    });
    CHECK(failure == 0);
  }
}

TEST_CASE("an old kernel without /proc says not supported, not that the file is missing", "[system_io][xattr]") {
  if (::geteuid() != 0) return;
  for (const std::string& place : places()) {
    const Tree tree(place);
    const int failure = in_child([&] {
      if (::chroot(tree.directory.path(".").c_str()) != 0) return 1;
      if (::chdir("/") != 0) return 2;
      SystemIo io(SystemIo::Kernel::old);
      if (list(io, tree.top.get(), "file") != failed(EOPNOTSUPP)) return 4;
      return list(io, AT_FDCWD, "/file").empty() ? 0 : 5;
    });
    CHECK(failure == 0);
  }
}

TEST_CASE("some place for these tests keeps attributes", "[system_io][xattr]") { CHECK_FALSE(places().empty()); }
