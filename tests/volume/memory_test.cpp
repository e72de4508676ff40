#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/alloc.h"
#include "packfs/volume.h"
#include "support/packs.h"
#include "support/temp_dir.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PACKFS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PACKFS_SANITIZED 1
#endif
#endif

using namespace packfs;
using namespace packfs::testing;

// Sanitizers have an operator new of their own, which tells them what belongs together: there only the library's own
// allocations fail.
#ifndef PACKFS_SANITIZED
// The standard library's memory fails like the library's own. It is malloc's, so that what either gives is freed alike.
// NOLINTBEGIN(misc-new-delete-overloads,cppcoreguidelines-no-malloc)
void* operator new(std::size_t bytes) {
  void* const memory = base::allocation_fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ does not see that this new is malloc's
#endif
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#pragma GCC diagnostic pop
// NOLINTEND(misc-new-delete-overloads,cppcoreguidelines-no-malloc)
#endif

namespace {

const Attributes kPlain{.mode = 0644, .uid = 1, .gid = 2, .mtime = {1, 0}, .xattrs = {}};
const Attributes kMarked{
    .mode = 0644, .uid = 1, .gid = 2, .mtime = {1, 0}, .xattrs = {{"user.a", std::vector<std::byte>(300)}}};

// Made before anything fails.
const std::vector<std::byte> kBytes(100'000, std::byte{7});
std::span<const std::byte> bytes(std::size_t count) { return std::span(kBytes).first(count); }
const std::string kLongTarget(1000, 'x');

/// A small tree with one of each kind, also below directories.
void build(PackBuilder& builder) {
  must(builder.add_directory("d", kMarked));
  must(builder.add_directory("d/sub", kMarked));
  must(builder.add_file("d/sub/small", kMarked, bytes(10)));
  must(builder.add_file("d/sub/large", kPlain, bytes(100'000)));
  must(builder.add_link("d/sub/linked", "d/sub/large"));
  must(builder.add_link("linked", "d/sub/large"));
  must(builder.add_symlink("d/link", kPlain, "sub/small"));
  must(builder.add_special("d/fifo", kPlain, FileType::fifo));
  must(builder.add_directory("empty", kPlain));
}

void fill(Volume& volume) {
  must(volume.make_directories("d/sub"));
  must(volume.write("d/sub/small", bytes(10)));
  must(volume.set_xattr("d/sub/small", "user.a", bytes(300)));
  must(volume.write("d/sub/large", bytes(100'000)));
  must(volume.link("d/sub/large", "d/sub/linked"));
  must(volume.link("d/sub/large", "linked"));
  must(volume.symlink("sub/small", "d/link"));
  must(volume.make_special("d/fifo", FileType::fifo, 0644));
  must(volume.make_directory("empty"));
}

/// All that can be seen of a tree, as text.
void describe(const View& view, const std::string& path, std::string& text) {
  for (const Result<Entry>& entry : view.list(path)) {
    REQUIRE(entry);
    const std::string name = path.empty() ? std::string(entry->name()) : path + "/" + std::string(entry->name());
    const auto stat = view.lstat(name);
    REQUIRE(stat);
    text += name + " " + std::to_string(static_cast<int>(stat->type)) + " " + std::to_string(stat->mode) + " " +
            std::to_string(stat->uid) + " " + std::to_string(stat->nlink) + " " + std::to_string(stat->size) + " " +
            std::to_string(stat->inode) + " " + std::to_string(stat->mtime.seconds) + " " +
            std::to_string(stat->ctime.nanoseconds) + "\n";
    const auto xattrs = view.xattrs(name);
    REQUIRE(xattrs);
    for (const Xattr& xattr : *xattrs) text += "  " + xattr.name + " " + std::to_string(xattr.value.size()) + "\n";
    if (stat->type == FileType::directory) describe(view, name, text);
  }
}

std::string describe(const View& view) {
  std::string text;
  describe(view, "", text);
  const auto totals = view.totals();
  REQUIRE(totals);
  return text + std::to_string(totals->entries) + " " + std::to_string(totals->bytes) + " " +
         std::to_string(totals->linked_names);
}

using Call = std::function<Result<void>(Writable&)>;

struct Named {
  const char* name;
  Call call;
};

std::vector<Named> calls() {
  return {
      {"write new", [](Writable& w) { return w.write("d/sub/new", bytes(5)); }},
      {"write new, large", [](Writable& w) { return w.write("d/sub/new", bytes(50'000)); }},
      {"write over", [](Writable& w) { return w.write("d/sub/small", bytes(50'000)); }},
      {"write over a linked file", [](Writable& w) { return w.write("linked", bytes(3)); }},
      {"write through a symlink", [](Writable& w) { return w.write("d/link", bytes(300)); }},
      {"write with parents", [](Writable& w) { return w.write("p/q/r/s", bytes(9), make_parents); }},
      {"append", [](Writable& w) { return w.append("d/sub/large", bytes(70'000)); }},
      {"append to a small file", [](Writable& w) { return w.append("d/sub/small", bytes(300)); }},
      {"write_at", [](Writable& w) { return w.write_at("d/sub/large", 50'000, bytes(10)); }},
      {"truncate", [](Writable& w) { return w.truncate("d/sub/large", 10); }},
      {"grow", [](Writable& w) { return w.truncate("d/sub/small", 1'000'000); }},
      {"make_directory", [](Writable& w) { return w.make_directory("d/sub/new"); }},
      {"make_directories", [](Writable& w) { return w.make_directories("d/sub/a/b/c/d/e/f/g/h"); }},
      {"remove_directory", [](Writable& w) { return w.remove_directory("empty"); }},
      {"unlink", [](Writable& w) { return w.unlink("d/sub/small"); }},
      {"unlink a linked name", [](Writable& w) { return w.unlink("d/sub/linked"); }},
      {"remove_tree", [](Writable& w) { return w.remove_tree("d"); }},
      {"rename", [](Writable& w) { return w.rename("d/sub/small", "moved"); }},
      {"rename over", [](Writable& w) { return w.rename("d/sub/small", "d/sub/linked"); }},
      {"rename a directory", [](Writable& w) { return w.rename("d", "empty/d"); }},
      {"exchange", [](Writable& w) { return w.rename("d/sub", "linked", RenameMode::exchange); }},
      {"clone", [](Writable& w) { return w.clone("d", "copy"); }},
      {"clone a linked file", [](Writable& w) { return w.clone("linked", "copy"); }},
      {"link", [](Writable& w) { return w.link("d/sub/small", "second"); }},
      {"link once more", [](Writable& w) { return w.link("linked", "third"); }},
      {"symlink", [](Writable& w) { return w.symlink(kLongTarget, "d/sub/link"); }},
      {"make_special", [](Writable& w) { return w.make_special("d/sub/s", FileType::socket, 0600); }},
      {"chmod", [](Writable& w) { return w.chmod("d/sub", 0700); }},
      {"chmod of a linked file", [](Writable& w) { return w.chmod("linked", 0600); }},
      {"chown", [](Writable& w) { return w.chown("d/link", 3, 4, LastLink::kept); }},
      {"set_mtime", [](Writable& w) { return w.set_mtime("d/sub/small", {5, 6}); }},
      {"set_xattr", [](Writable& w) { return w.set_xattr("d/sub/small", "user.b", bytes(500)); }},
      {"remove_xattr", [](Writable& w) { return w.remove_xattr("d/sub/small", "user.a"); }},
  };
}

/// Makes the n-th allocation of `call` fail, for every n, on a volume and in a transaction. The number of failures.
std::size_t fail_each(Volume volume, const Call& call, bool in_transaction) {
  for (std::size_t n = 0;; ++n) {
    REQUIRE(n < 10'000);
    volume.quiesce();
    const std::string before = describe(volume.snapshot());
    const std::uint64_t commit = volume.snapshot().commit();
    const VolumeCounters counters = volume.counters();
    std::optional<Transaction> transaction;
    if (in_transaction) {
      auto begun = volume.begin();
      REQUIRE(begun);
      transaction.emplace(std::move(*begun));
    }
    base::fail_allocations(n);
    const Result<void> done = call(in_transaction ? static_cast<Writable&>(*transaction) : volume);
    const bool failed = base::allocation_has_failed();
    base::fail_allocations(SIZE_MAX);
    if (!failed) {
      REQUIRE(done);
      return n;
    }
    if (done) {  // it did without: the memory was not needed after all
      if (!in_transaction) FAIL("an allocation failed and the call did not say so");
      continue;
    }
    CHECK(done.error().code() == ErrorCode::no_memory);
    if (in_transaction) {
      CHECK(transaction->commit());  // which changes nothing: the call was undone
    }
    volume.quiesce();
    CHECK(describe(volume.snapshot()) == before);
    CHECK((in_transaction || volume.snapshot().commit() == commit));
    // A linked inode of the pack may have been brought into the link table, which shows nowhere else.
    if (!in_transaction) CHECK(volume.counters().inodes == counters.inodes);
    if (!in_transaction) CHECK(volume.counters().nodes == counters.nodes);
    CHECK(volume.counters().roots == counters.roots);
  }
}

}  // namespace

TEST_CASE("whichever allocation fails, a call changes nothing, says so, and leaks nothing", "[volume][memory]") {
  const bool over_pack = GENERATE(false, true);
  const bool in_transaction = GENERATE(false, true);
  const TempDir dir;
  build_pack(dir.path("pack"), build);
  const Pack pack = open_pack(dir.path("pack"));
  for (const Named& one : calls()) {
    INFO(one.name << (over_pack ? " over a pack" : " in memory") << (in_transaction ? ", in a transaction" : ""));
    auto volume = over_pack ? Volume::memory(pack) : Volume::memory();
    REQUIRE(volume);
    if (!over_pack) fill(*volume);
    fail_each(*volume, one.call, in_transaction);
  }
}

TEST_CASE("a volume that cannot be made says so", "[volume][memory]") {
  std::size_t failures = 0;
  for (std::size_t n = 0;; ++n) {
    REQUIRE(n < 1000);
    base::fail_allocations(n);
    const auto volume = Volume::memory();
    const bool failed = base::allocation_has_failed();
    base::fail_allocations(SIZE_MAX);
    if (!failed) break;
    ++failures;
    REQUIRE_FALSE(volume);
    CHECK(volume.error().code() == ErrorCode::no_memory);
  }
  CHECK(failures >= 1);
}
