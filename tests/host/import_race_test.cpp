// What other processes do to a tree while it is imported, put in between two calls.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host/trees.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Lines = std::vector<std::string>;

/// A directory with files a, m, z and a directory d with a file in it; `m` is the one that things happen to.
class Scene {
 public:
  explicit Scene(std::size_t bytes = 100) : io(base::system_io()), content(bytes, 'm') {
    REQUIRE(::mkdir(dir.path("tree").c_str(), 0755) == 0);
    for (const char* name : {"a", "z"}) write_file(path(name), name);
    write_file(path("m"), content);
    REQUIRE(::mkdir(path("d").c_str(), 0755) == 0);
    write_file(path("d/inside"), "inside");
    write_file(dir.path("secret"), "secret");
  }

  [[nodiscard]] std::string path(const std::string& name) const { return dir.path("tree/" + name); }

  /// Imports; everything but `m` must be there and right.
  void import() {
    imported = import_into_memory({dir.path("tree")}, {.threads = threads, .helpers_after = 0}, io);
    REQUIRE(imported.result);
    CHECK(imported.tree.content("a") == "a");
    CHECK(imported.tree.content("z") == "z");
    for (const std::string& call : imported.tree.calls()) CHECK(call.find("secret") == std::string::npos);
  }
  void expect_skipped(const std::string& name, ErrorCode code) {
    REQUIRE(imported.report.skipped.size() == 1);
    CHECK(imported.report.skipped[0].path == path(name));
    CHECK(imported.report.skipped[0].error.code() == code);
    CHECK(imported.report.changed.empty());
    CHECK(imported.tree.find(name) == nullptr);
  }
  void expect_changed(const std::string& name) {
    CHECK(imported.report.skipped.empty());
    REQUIRE(imported.report.changed.size() == 1);
    CHECK(imported.report.changed[0].path == path(name));
  }

  TempDir dir{kTmpfs};
  FaultIo io;
  std::string content;
  unsigned threads = GENERATE(1U, 2U);
  Imported imported;
};

}  // namespace

TEST_CASE("a file that vanishes is skipped and named", "[host][import][race]") {
  Scene scene;
  const std::string call = GENERATE("statx", "openat");
  scene.io.before({.call = call, .path = "m"}, [&] { ::unlink(scene.path("m").c_str()); });
  scene.import();
  scene.expect_skipped("m", ErrorCode::no_entry);
}

TEST_CASE("a file that becomes something else is skipped, not waited for, not followed", "[host][import][race]") {
  Scene scene;
  const std::string m = scene.path("m");
  ErrorCode code = ErrorCode::stale;
  std::function<void()> replace;
  SECTION("a FIFO with nobody at its other end") {
    replace = [&] { ::mkfifo(m.c_str(), 0600); };
  }
  SECTION("a symlink to outside") {
    code = ErrorCode::symlink_loop;
    replace = [&] { static_cast<void>(::symlink("../secret", m.c_str())); };
  }
  SECTION("a directory") {
    replace = [&] { ::mkdir(m.c_str(), 0700); };
  }
  scene.io.before({.call = "openat", .path = "m"}, [&] {
    ::unlink(m.c_str());
    replace();
  });
  scene.import();
  scene.expect_skipped("m", code);
}

TEST_CASE("a file that another file replaces goes in as one of the two", "[host][import][race]") {
  Scene scene;
  write_file(scene.dir.path("new"), "the new one");
  scene.io.before({.call = "openat", .path = "m"},
                  [&] { ::rename(scene.dir.path("new").c_str(), scene.path("m").c_str()); });
  scene.import();
  CHECK(scene.imported.report.exact());
  CHECK(scene.imported.tree.content("m") == "the new one");
}

TEST_CASE("what was listed as a file and is looked at as a directory is skipped", "[host][import][race]") {
  Scene scene;
  scene.io.before({.call = "statx", .path = "m"}, [&] {
    ::unlink(scene.path("m").c_str());
    ::mkdir(scene.path("m").c_str(), 0700);
  });
  scene.import();
  scene.expect_skipped("m", ErrorCode::stale);
}

TEST_CASE("a file that changes while it is read is reported", "[host][import][race]") {
  // In memory, and streamed.
  Scene scene(GENERATE(100U, 3U << 20));
  const std::string m = scene.path("m");
  const std::size_t size = scene.content.size();
  std::function<void()> change;
  std::string expected = scene.content;
  SECTION("it shrinks") {
    change = [&] { static_cast<void>(::truncate(m.c_str(), 50)); };
    expected = scene.content.substr(0, 50);
  }
  SECTION("it is emptied") {
    change = [&] { static_cast<void>(::truncate(m.c_str(), 0)); };
    expected.clear();
  }
  SECTION("it grows") {
    change = [&] {
      const int fd = ::open(m.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      CHECK(::write(fd, "more", 4) == 4);
      ::close(fd);
    };
  }
  SECTION("it is rewritten at the same size") {
    change = [&] {
      const int fd = ::open(m.c_str(), O_WRONLY | O_CLOEXEC);
      CHECK(::pwrite(fd, "X", 1, 7) == 1);
      ::close(fd);
      // The clock may be too coarse to tell; another mtime is what a later write would leave.
      const timespec times[2]{{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
      ::utimensat(AT_FDCWD, m.c_str(), times, 0);
    };
    expected[7] = 'X';
  }
  // Between opening the file and reading it: its attributes are read then, on the same thread.
  std::atomic<std::thread::id> reader;
  std::atomic<bool> done = false;
  scene.io.before({.call = "openat", .path = "m"}, [&] { reader = std::this_thread::get_id(); });
  scene.io.before({.call = "flistxattr", .for_ever = true}, [&] {
    if (reader.load() != std::this_thread::get_id() || done.exchange(true)) return;
    change();
  });
  scene.import();
  REQUIRE(done);
  scene.expect_changed("m");
  if (size <= (1U << 20) || expected.size() >= size) {
    CHECK(scene.imported.tree.content("m").substr(0, expected.size()) == expected);
  }
}

TEST_CASE("a hard link to a file that changed since its first name is reported", "[host][import][race]") {
  Scene scene;
  scene.threads = 1;  // a helper may look at "n" before "m" is read
  REQUIRE(::link(scene.path("m").c_str(), scene.path("n").c_str()) == 0);
  scene.io.before({.call = "statx", .path = "n"}, [&] { static_cast<void>(::truncate(scene.path("m").c_str(), 5)); });
  scene.import();
  scene.expect_changed("n");
  CHECK(scene.imported.tree.find("n") == scene.imported.tree.find("m"));
}

TEST_CASE("a file that takes over an inode number is not taken for a link", "[host][import][race]") {
  Scene scene;
  REQUIRE(::link(scene.path("m").c_str(), scene.path("n").c_str()) == 0);
  scene.io.before({.call = "statx", .path = "n"}, [&] {
    ::unlink(scene.path("n").c_str());
    write_file(scene.path("n"), "new");
    ::link(scene.path("n").c_str(), scene.path("o").c_str());
  });
  scene.import();
  CHECK(scene.imported.tree.content("n") == "new");
  CHECK(scene.imported.tree.find("n") != scene.imported.tree.find("m"));
}

TEST_CASE("a symlink that changes while it is read is read again", "[host][import][race]") {
  Scene scene;
  REQUIRE(::symlink("first", scene.path("l").c_str()) == 0);
  const auto change = [&, round = 0]() mutable {
    ::unlink(scene.path("l").c_str());
    static_cast<void>(::symlink(("target " + std::to_string(++round)).c_str(), scene.path("l").c_str()));
  };
  SECTION("once") {
    scene.io.before({.call = "readlinkat", .path = "l"}, change);
    scene.import();
    CHECK(scene.imported.report.exact());
    CHECK(scene.imported.tree.find("l")->target == "target 1");
  }
  SECTION("for ever") {
    scene.io.before({.call = "readlinkat", .for_ever = true, .path = "l"}, change);
    scene.import();
    scene.expect_changed("l");
  }
}

TEST_CASE("a directory that vanishes or becomes something else is skipped", "[host][import][race]") {
  Scene scene;
  const std::string d = scene.path("d");
  ErrorCode code = ErrorCode::not_a_directory;
  std::function<void()> replace;
  SECTION("nothing") {
    code = ErrorCode::no_entry;
    replace = [] {};
  }
  SECTION("a symlink to a directory outside") {
    REQUIRE(::mkdir(scene.dir.path("outside").c_str(), 0755) == 0);
    write_file(scene.dir.path("outside/secret"), "secret");
    replace = [&] { static_cast<void>(::symlink("../outside", d.c_str())); };
  }
  SECTION("a FIFO") {
    replace = [&] { ::mkfifo(d.c_str(), 0600); };
  }
  scene.io.before({.call = "openat", .path = "d"}, [&] {
    remove_tree(d);
    replace();
  });
  scene.import();
  scene.expect_skipped("d", code);
}

TEST_CASE("a directory that changes while it is listed is reported", "[host][import][race]") {
  Scene scene;
  // Listings end with an empty answer; the second listing is that of "d".
  scene.io.before({.call = "getdents64", .nth = 4}, [&] { write_file(scene.path("d/late"), "late"); });
  scene.import();
  scene.expect_changed("d");
}

TEST_CASE("what lies in a directory that was moved away is named, and not looked for elsewhere",
          "[host][import][race]") {
  Scene scene;
  make_deep_tree(scene.path("d"), 8, 1);
  // Siblings on the way back, at the third level.
  for (const char* name : {"e", "f"}) {
    const std::string sibling = scene.path(std::string("d/d/d/d/") + name);
    REQUIRE(::mkdir(sibling.c_str(), 0755) == 0);
    write_file(sibling + "/file", "x");
  }
  // At the bottom, when the handles above are closed: the bottom's parent and the third level go different ways.
  scene.io.before({.call = "statx", .path = "bottom"}, [&] {
    REQUIRE(::rename(scene.path("d/d/d/d/d/d").c_str(), scene.dir.path("bottom half").c_str()) == 0);
    REQUIRE(::rename(scene.path("d/d/d/d").c_str(), scene.dir.path("third").c_str()) == 0);
    REQUIRE(::mkdir(scene.path("d/d/d/d").c_str(), 0755) == 0);
    REQUIRE(::mkdir(scene.path("d/d/d/d/e").c_str(), 0755) == 0);
    write_file(scene.path("d/d/d/d/e/secret"), "secret");
  });
  scene.import();
  CHECK(scene.imported.tree.content("d/d/d/d/d/d/d/d/d/bottom") == "deep");
  CHECK(scene.imported.tree.content("d/inside") == "inside");
  Lines skipped;
  for (const auto& problem : scene.imported.report.skipped) {
    skipped.push_back(problem.path);
    CHECK(problem.error.code() == ErrorCode::stale);
  }
  CHECK(skipped == Lines{scene.path("d/d/d/d/e"), scene.path("d/d/d/d/f")});
}
