#include "host/import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
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

/// The first word of each call: where, and under which name.
Lines order_of(const MemoryTree& tree) {
  Lines order;
  for (const std::string& call : tree.calls()) order.push_back(call.substr(0, call.find(' ')));
  return order;
}

host::FileIdentity identity(const std::string& path) {
  return host::identity_of(*host::status_at(base::system_io(), AT_FDCWD, path.c_str()));
}

void make_wide_tree(const std::string& root) {
  for (int d = 0; d < 40; ++d) {
    const std::string directory = root + "/" + std::to_string(d);
    REQUIRE(::mkdir(directory.c_str(), 0755) == 0);
    for (int f = 0; f < 5 * d; ++f) {
      const std::string file = directory + "/" + std::to_string(f);
      write_file(file, std::string(static_cast<std::size_t>(f * f), static_cast<char>(d)));
      if (f % 7 == 3) REQUIRE(::link(file.c_str(), (root + "/link " + std::to_string(d * 1000 + f)).c_str()) == 0);
    }
  }
  // More than the read-ahead may hold.
  REQUIRE(::mkdir((root + "/heavy").c_str(), 0755) == 0);
  for (int f = 0; f < 80; ++f) write_file(root + "/heavy/" + std::to_string(f), std::string(1 << 20, 'h'));
}

}  // namespace

TEST_CASE("a directory's other entries come before its subdirectories, each in byte order", "[host][import]") {
  const TempDir dir(kTmpfs);
  for (const char* name : {"b", "a", "a/z", "a/y"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  for (const char* name : {"c", "B", "a/y/1", "a/z/2", "a/x", "b/\xff", "b/~"}) write_file(dir.path(name), name);
  REQUIRE(::symlink("a", dir.path("aa").c_str()) == 0);
  const auto imported = import_into_memory({dir.path()});
  REQUIRE(imported.result);
  // Numbers are those of the calls before: 0 root, 1 B, 2 aa, 3 c, 4 a, 5 a/x, 6 a/y, 7 a/y/1, 8 a/z, 9 a/z/2, 10 b.
  CHECK(order_of(imported.tree) ==
        Lines{"root", "0/B", "0/aa", "0/c", "0/a", "4/x", "4/y", "6/1", "4/z", "8/2", "0/b", "10/~", "10/\xff"});
  CHECK(imported.report.exact());
  CHECK(imported.report.entries == 12);
  CHECK(imported.report.bytes == 21);
  CHECK(imported.tree.content("a/y/1") == "a/y/1");
  CHECK(imported.tree.find("aa")->target == "a");
}

TEST_CASE("the same calls reach the sink with any number of threads", "[host][import][threads]") {
  const TempDir dir(kTmpfs);
  SECTION("an odd tree") { make_odd_tree(dir.path()); }
  SECTION("a wide tree") { make_wide_tree(dir.path()); }
  const auto inline_only = import_into_memory({dir.path()}, {.threads = 1});
  REQUIRE(inline_only.result);
  CHECK(inline_only.report.exact());
  for (const unsigned threads : {2U, 3U, 4U, 9U}) {
    CAPTURE(threads);
    const auto imported = import_into_memory({dir.path()}, {.threads = threads});
    REQUIRE(imported.result);
    CHECK(imported.report.exact());
    CHECK(imported.report.entries == inline_only.report.entries);
    CHECK(imported.report.bytes == inline_only.report.bytes);
    CHECK((imported.tree.calls() == inline_only.tree.calls()));
  }
}

TEST_CASE("helpers really read ahead, and only when there is enough to do", "[host][import][threads]") {
  const TempDir dir(kTmpfs);
  make_wide_tree(dir.path());
  FaultIo io(base::system_io());
  // The caller is held up in the sink until somebody else has opened a file far ahead.
  std::atomic<bool> ahead = false;
  io.before({.call = "openat", .nth = 1, .path = "39"}, [&] { ahead = true; });
  host::ImportReport report;
  MemoryTree tree;
  tree.refuse = [&](std::string_view name) -> Result<void> {
    if (name == "30") {
      while (!ahead) std::this_thread::yield();
    }
    return {};
  };
  REQUIRE(host::import_tree(io, std::vector<std::string>{dir.path()}, tree, {.threads = 2}, report));
  CHECK(ahead);
  CHECK(report.exact());
}

TEST_CASE("read-ahead is bounded, and what is needed next is read whatever waits", "[host][import][threads]") {
  const TempDir dir(kTmpfs);
  REQUIRE(::mkdir(dir.path("heavy").c_str(), 0755) == 0);
  // Some steps that helpers have read and that are done with.
  for (int f = 0; f < 500; ++f) write_file(dir.path(std::to_string(1000 + f)), std::to_string(f));
  write_file(dir.path("last before"), "l");
  // Two steps of the walk; either is more than may wait.
  for (int f = 0; f < 128; ++f) write_file(dir.path("heavy/" + std::to_string(5000 + f)), std::string(1 << 20, 'h'));
  FaultIo io(base::system_io());
  std::atomic<bool> begun = false;
  std::atomic<int> second_step = 0;
  int most = 0;
  for (int f = 64; f < 128; ++f)
    io.before({.call = "openat", .path = std::to_string(5000 + f)}, [&] { ++second_step; });
  // The first helper stands still until the second has filled all the room there is.
  io.before({.call = "openat", .path = "5000"}, [&] {
    begun = true;
    while (second_step < 32) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    most = second_step;
  });
  MemoryTree tree;
  tree.refuse = [&](std::string_view name) -> Result<void> {
    while (name == "last before" && !begun) std::this_thread::yield();
    return {};
  };
  host::ImportReport report;
  REQUIRE(host::import_tree(io, std::vector{dir.path()}, tree, {.threads = 3, .helpers_after = 0}, report));
  CHECK(report.exact());
  CHECK(report.entries == 630);
  CHECK(most == 32);
}

TEST_CASE("small files come in memory, large ones as a rereadable source", "[host][import]") {
  const TempDir dir(kTmpfs);
  write_file(dir.path("small"), std::string(1 << 20, 's'));
  write_file(dir.path("zlarge"), std::string((1 << 20) + 1, 'l'));
  const auto imported = import_into_memory({dir.path()});
  REQUIRE(imported.result);
  CHECK(imported.tree.calls()[1].find(" in memory ") != std::string::npos);
  CHECK(imported.tree.calls()[2].find(" streamed ") != std::string::npos);
  CHECK(imported.tree.content("zlarge") == std::string((1 << 20) + 1, 'l'));
}

TEST_CASE("several sources go in under their base names, in the order of a tree", "[host][import]") {
  const TempDir dir(kTmpfs);
  for (const char* name : {"x", "x/d", "y", "y/b"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  for (const char* name : {"x/d/1", "x/file", "y/b/2"}) write_file(dir.path(name), name);
  REQUIRE(::link(dir.path("x/file").c_str(), dir.path("y/b/3").c_str()) == 0);
  REQUIRE(::mkfifo(dir.path("y/fifo").c_str(), 0600) == 0);
  REQUIRE(::symlink("d", dir.path("x/link").c_str()) == 0);
  const auto imported = import_into_memory(
      {dir.path("x/d/"), dir.path("y/fifo"), dir.path("y/b"), dir.path("x/file"), dir.path("x/link")});
  REQUIRE(imported.result);
  CHECK(imported.report.exact());
  CHECK(order_of(imported.tree) == Lines{"0/fifo", "0/file", "0/link", "0/b", "4/2", "4/3", "0/d", "6/1"});
  CHECK(imported.tree.find("fifo")->type == FileType::fifo);
  CHECK(imported.tree.find("link")->target == "d");
  CHECK(imported.tree.find("b/3") == imported.tree.find("file"));

  SECTION("a single file is no root") {
    const auto one = import_into_memory({dir.path("x/file")});
    REQUIRE(one.result);
    CHECK(order_of(one.tree) == Lines{"0/file"});
  }
  SECTION("a symlink is followed only when a '/' ends it") {
    CHECK(order_of(import_into_memory({dir.path("x/link")}).tree) == Lines{"0/link"});
    CHECK(order_of(import_into_memory({dir.path("x/link/")}).tree) == Lines{"root", "0/1"});
  }
}

TEST_CASE("sources that cannot be imported are refused before anything is added", "[host][import]") {
  const TempDir dir(kTmpfs);
  write_file(dir.path("a"), "a");
  REQUIRE(::mkdir(dir.path("d").c_str(), 0755) == 0);
  write_file(dir.path("d/a"), "b");
  const auto code = [](const std::vector<std::string>& sources) {
    const auto imported = import_into_memory(sources);
    REQUIRE_FALSE(imported.result);
    CHECK(imported.tree.calls().empty());
    return imported.result.error().code();
  };
  CHECK(code({}) == ErrorCode::invalid);
  CHECK(code({dir.path("missing")}) == ErrorCode::no_entry);
  CHECK(code({dir.path("a"), dir.path("missing")}) == ErrorCode::no_entry);
  CHECK(code({dir.path("a"), dir.path("d/a")}) == ErrorCode::exists);
  CHECK(code({dir.path("a"), dir.path("d/a/")}) == ErrorCode::not_a_directory);
  CHECK(code({dir.path("a"), "/"}) == ErrorCode::invalid);
  CHECK(code({dir.path("a"), dir.path("d/.")}) == ErrorCode::invalid);
  CHECK(code({dir.path("a"), dir.path("d/..")}) == ErrorCode::invalid);
}

TEST_CASE("the excluded file is left out and named, under each of its names", "[host][import]") {
  const TempDir dir(kTmpfs);
  write_file(dir.path("out.pack"), "being written");
  write_file(dir.path("other"), "o");
  REQUIRE(::link(dir.path("out.pack").c_str(), dir.path("zz").c_str()) == 0);
  const auto imported = import_into_memory({dir.path()}, {.exclude = {identity(dir.path("out.pack"))}});
  REQUIRE(imported.result);
  CHECK(imported.report.left_out == Lines{dir.path("out.pack"), dir.path("zz")});
  CHECK(imported.report.exact());
  CHECK(order_of(imported.tree) == Lines{"root", "0/other"});
}

TEST_CASE("what the sink refuses is skipped with all below it; its other errors end the import", "[host][import]") {
  const TempDir dir(kTmpfs);
  for (const char* name : {"bad", "bad/below", "good"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  for (const char* name : {"bad/1", "bad/below/2", "good/3", "bad file", "file"}) write_file(dir.path(name), name);
  for (int i = 0; i < 300; ++i) write_file(dir.path("bad/below/" + std::to_string(1000 + i)), "x");
  const unsigned threads = GENERATE(1U, 3U);
  ErrorCode code = ErrorCode::name_too_long;
  host::ImportReport report;
  MemoryTree tree;
  tree.refuse = [&](std::string_view name) -> Result<void> {
    if (name.starts_with("bad")) return std::unexpected(Error(code));
    return {};
  };
  SECTION("about an entry") {
    code = GENERATE(ErrorCode::name_too_long, ErrorCode::exists, ErrorCode::invalid);
    REQUIRE(host::import_tree(base::system_io(), std::vector{dir.path()}, tree, {.threads = threads}, report));
    CHECK(order_of(tree) == Lines{"root", "0/file", "0/good", "2/3"});
    REQUIRE(report.skipped.size() == 2);
    CHECK(report.skipped[0].path == dir.path("bad file"));
    CHECK(report.skipped[1].path == dir.path("bad"));
    CHECK(report.skipped[1].error.code() == code);
    CHECK_FALSE(report.exact());
  }
  SECTION("about the output") {
    code = ErrorCode::no_space;
    const auto result =
        host::import_tree(base::system_io(), std::vector{dir.path()}, tree, {.threads = threads}, report);
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == ErrorCode::no_space);
  }
}

TEST_CASE("an import tells its progress and can be cancelled", "[host][import]") {
  const TempDir dir(kTmpfs);
  const auto cancelled = Error::from_errno(ECANCELED).code();
  std::uint64_t told = 0;
  SECTION("between files") {
    make_wide_tree(dir.path());
    const host::ImportOptions options{.threads = GENERATE(1U, 2U),
                                      .progress = [&](std::uint64_t entries, std::uint64_t) {
                                        told = entries;
                                        return entries < 1000;
                                      }};
    const auto imported = import_into_memory({dir.path()}, options);
    REQUIRE_FALSE(imported.result);
    CHECK(imported.result.error().code() == cancelled);
    CHECK(told >= 1000);
    CHECK(imported.report.entries == told);
  }
  SECTION("within a file") {
    write_file(dir.path("large"), "");
    REQUIRE(::truncate(dir.path("large").c_str(), 100 << 20) == 0);
    write_file(dir.path("larger"), std::string(100 << 20, 'x'));
    const host::ImportOptions options{.progress = [&](std::uint64_t, std::uint64_t bytes) {
      told = bytes;
      return bytes < (150U << 20);
    }};
    const auto imported = import_into_memory({dir.path()}, options);
    REQUIRE_FALSE(imported.result);
    CHECK(imported.result.error().code() == cancelled);
    CHECK(told < (200U << 20));
  }
}

TEST_CASE("what a user may not read is skipped and named, the rest goes in", "[host][import][root]") {
  if (::geteuid() != 0) return;
  const TempDir dir(kTmpfs);
  REQUIRE(::chmod(dir.path().c_str(), 0755) == 0);
  for (const char* name : {"closed", "open", "unlisted"}) REQUIRE(::mkdir(dir.path(name).c_str(), 0755) == 0);
  for (const char* name : {"closed/1", "open/2", "open/secret", "unlisted/3"}) write_file(dir.path(name), name);
  REQUIRE(::chmod(dir.path("closed").c_str(), 0700) == 0);
  REQUIRE(::chmod(dir.path("unlisted").c_str(), 0711) == 0);
  REQUIRE(::chmod(dir.path("open/secret").c_str(), 0600) == 0);
  const int verdict = as_nobody([&] {
    const auto imported = import_into_memory({dir.path()});
    if (!imported.result) return 1;
    const auto& skipped = imported.report.skipped;
    if (skipped.size() != 3) return 2;
    if (skipped[0].path != dir.path("closed") || skipped[1].path != dir.path("open/secret") ||
        skipped[2].path != dir.path("unlisted")) {
      return 3;
    }
    for (const auto& problem : skipped) {
      if (problem.error.code() != ErrorCode::access_denied) return 4;
    }
    // The source alone, whose directory cannot be listed, can be reached all the same.
    const auto single = import_into_memory({dir.path("unlisted/3")});
    if (!single.result || single.tree.content("3") != "unlisted/3") return 5;
    return imported.tree.content("open/2") == "open/2" ? 0 : 6;
  });
  CHECK(verdict == 0);
}

TEST_CASE("directories on another device are left out where that is asked for", "[host][import]") {
  // /dev holds mounts on every Linux: pts and shm.
  if (identity("/dev").device == identity("/dev/shm").device) return;
  const auto imported = import_into_memory({"/dev"}, {.one_device = true});
  REQUIRE(imported.result);
  CHECK(std::ranges::count(imported.report.left_out, "/dev/shm") == 1);
  REQUIRE(imported.tree.find("shm") != nullptr);
  CHECK(imported.tree.find("shm")->entries.empty());
  CHECK(imported.tree.find("null")->type == FileType::character_device);
  CHECK(imported.tree.find("null")->minor == 3);
}
