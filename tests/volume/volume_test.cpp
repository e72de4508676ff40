#include "packfs/volume.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "content/content.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "volume/empty_volume.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

std::vector<std::byte> text(std::string_view words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::string content_of(const File& file) {
  const auto bytes = file.read_all();
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

ErrorCode code_of(const Result<void>& done) { return done ? ErrorCode{} : done.error().code(); }

/// How many parts of the tree a call copies.
template <class Call>
std::uint64_t copies(Volume& volume, Call call) {
  const std::uint64_t before = volume.counters().nodes_copied;
  must(call());
  return volume.counters().nodes_copied - before;
}

}  // namespace

TEST_CASE("a transaction is seen as a whole, and by itself at once", "[volume]") {
  Volume volume = empty();
  const Snapshot before = volume.snapshot();
  auto transaction = volume.begin();
  REQUIRE(transaction);
  must(transaction->write("a", text("one")));
  must(transaction->make_directory("d"));
  must(transaction->rename("a", "d/b"));
  CHECK(transaction->stat("d/b"));
  CHECK_FALSE(volume.stat("d"));
  const auto commit = transaction->commit();
  REQUIRE(commit);
  CHECK(volume.snapshot().commit() == *commit);
  CHECK(volume.stat("d/b"));
  CHECK_FALSE(before.stat("d"));
  CHECK(code_of(transaction->write("later", text("x"))) == ErrorCode::invalid);
  CHECK_FALSE(transaction->commit());
}

TEST_CASE("a dropped transaction never was", "[volume]") {
  Volume volume = empty();
  must(volume.write("kept", text("x")));
  volume.quiesce();
  const VolumeCounters before = volume.counters();
  {
    auto transaction = volume.begin();
    REQUIRE(transaction);
    for (int i = 0; i < 1000; ++i) must(transaction->write("f" + std::to_string(i), text("y")));
    must(transaction->unlink("kept"));
  }
  volume.quiesce();
  CHECK(volume.stat("kept"));
  CHECK(volume.snapshot().totals()->entries == 1);
  CHECK(volume.counters().inodes == before.inodes);
}

TEST_CASE("who holds the turn and writes past it is told so, others wait", "[volume]") {
  Volume volume = empty();
  auto transaction = volume.begin();
  REQUIRE(transaction);
  CHECK(code_of(volume.write("a", text("x"))) == ErrorCode::busy);
  CHECK(volume.begin().error().code() == ErrorCode::busy);
  CHECK(volume.begin_for(std::chrono::seconds(1)).error().code() == ErrorCode::busy);

  std::optional<ErrorCode> tried;
  std::optional<ErrorCode> timed;
  std::thread other([&] {
    if (auto begun = volume.try_begin(); !begun) tried = begun.error().code();
    if (auto begun = volume.begin_for(std::chrono::milliseconds(1)); !begun) timed = begun.error().code();
  });
  other.join();
  CHECK(tried == ErrorCode::busy);
  CHECK(timed == static_cast<ErrorCode>(ETIMEDOUT));

  std::atomic<bool> written{false};
  std::thread waiting([&] { written = volume.write("b", text("x")).has_value(); });
  must(transaction->write("a", text("x")));
  REQUIRE(transaction->commit());
  waiting.join();
  CHECK(written);
  CHECK(volume.stat("a"));
  CHECK(volume.stat("b"));
}

TEST_CASE("a transaction goes on in another thread", "[volume]") {
  Volume volume = empty();
  auto begun = volume.begin();
  REQUIRE(begun);
  std::optional<Transaction> moved(std::move(*begun));
  std::uint64_t commit = 0;
  std::thread other([&] {
    Transaction transaction = std::move(*moved);
    if (!transaction.write("a", text("x"))) return;
    if (const auto number = transaction.commit()) commit = *number;
  });
  other.join();
  CHECK(volume.snapshot().commit() == commit);
  CHECK(volume.write("b", text("x")));
}

TEST_CASE("snapshots and files outlive what they were taken from", "[volume]") {
  std::optional<Snapshot> snapshot;
  std::optional<File> file;
  {
    Volume volume = empty();
    must(volume.make_directories("d/e"));
    must(volume.write("d/e/f", text("first")));
    auto opened = volume.open_file("d/e/f");
    REQUIRE(opened);
    file.emplace(std::move(*opened));
    snapshot.emplace(volume.snapshot());
    must(volume.write("d/e/f", text("second")));
    must(volume.remove_tree("d"));
    volume.quiesce();
    const auto oldest = volume.oldest_snapshot();
    REQUIRE(oldest);
    CHECK(oldest->commit == snapshot->commit());
  }
  CHECK(content_of(*file) == "first");
  auto again = snapshot->open("d/e/f");
  REQUIRE(again);
  CHECK(content_of(*again) == "first");
}

TEST_CASE("what no snapshot holds is freed", "[volume]") {
  Volume volume = empty();
  volume.quiesce();
  const VolumeCounters before = volume.counters();
  fill(volume, "d", 5000);
  must(volume.clone("d", "e"));
  std::optional<Snapshot> held(volume.snapshot());
  must(volume.remove_tree("d"));
  must(volume.remove_tree("e"));
  volume.quiesce();
  CHECK(volume.counters().inodes > 5000);
  held.reset();
  volume.quiesce();
  CHECK(volume.counters().inodes == before.inodes);
  CHECK(volume.counters().nodes == before.nodes);
  CHECK(volume.counters().roots == 1);
  CHECK_FALSE(volume.oldest_snapshot());
}

TEST_CASE("what the last snapshot held comes back though nobody writes or asks", "[volume]") {
  Volume volume = empty();
  volume.quiesce();
  const VolumeCounters before = volume.counters();
  fill(volume, "d", 5000);
  std::optional<Snapshot> held(volume.snapshot());
  must(volume.remove_tree("d"));
  volume.quiesce();
  held.reset();
  while (volume.counters().inodes != before.inodes) std::this_thread::yield();  // or ctest's limit ends it
  CHECK(volume.counters().roots == 1);
}

TEST_CASE("what waits to be freed is bounded while a writer never rests", "[volume]") {
  Volume volume = empty();
  // Each call makes and lets go a thousand times what it frees of others' in passing.
  std::string deep = "d";
  for (int i = 1; i < 1000; ++i) deep += "/d";
  std::uint64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    must(volume.make_directories(deep));
    must(volume.remove_tree("d"));
    most = std::max(most, volume.counters().inodes);
  }
  CHECK(most < 50'000);

  // The same within a transaction.
  auto transaction = volume.begin();
  REQUIRE(transaction);
  for (int i = 0; i < 200; ++i) {
    must(transaction->make_directories(deep));
    must(transaction->remove_tree("d"));
    most = std::max(most, volume.counters().inodes);
  }
  CHECK(most < 50'000);
  REQUIRE(transaction->commit());

  // Few parts and many bytes.
  const std::vector<std::byte> large(std::size_t{3} << 20);
  std::uint64_t most_contents = 0;
  for (int i = 0; i < 100; ++i) {
    must(volume.write("file", large));
    most_contents = std::max(most_contents, content::live_contents());
  }
  CHECK(most_contents < 10);
}

TEST_CASE("a transaction gets its turn though other threads write without a pause", "[volume]") {
  Volume volume = empty();
  std::atomic<bool> stop{false};
  std::vector<std::jthread> writers;
  writers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&volume, &stop, i] {
      const std::string name = "file-" + std::to_string(i);
      while (!stop) static_cast<void>(volume.write(name, text("x")));
    });
  }
  bool all = true;
  for (int i = 0; i < 50; ++i) {
    auto transaction = volume.begin();  // ctest's limit ends it if it never comes
    all = all && transaction && transaction->write("mine", text(std::to_string(i))) && transaction->commit();
    auto timed = volume.begin_for(std::chrono::minutes(5));
    all = all && timed;
  }
  stop = true;
  CHECK(all);
}

TEST_CASE("the oldest snapshot tells what it alone keeps alive", "[volume]") {
  constexpr int kFiles = 1000;
  constexpr std::size_t kLarge = 300'000;
  Volume volume = empty();
  fill(volume, "d", kFiles);
  must(volume.clone("d", "kept"));
  must(volume.write("large", std::vector<std::byte>(kLarge)));
  auto first = std::optional(volume.snapshot());
  const auto told = [&] {
    volume.quiesce();
    const auto oldest = volume.oldest_snapshot();
    REQUIRE(oldest);
    return *oldest;
  };
  must(volume.chmod("d", 0700));
  CHECK(told().inodes >= 1);  // the root as it was; "d" too, unless a block still shares it
  CHECK(told().inodes <= 2);
  must(volume.remove_tree("d"));
  CHECK(told().inodes == 2);  // the files are the clone's as well
  const auto second = std::optional(volume.snapshot());
  must(volume.remove_tree("kept"));
  CHECK(told().inodes == 2);  // the second snapshot has them
  must(volume.unlink("large"));
  CHECK(told().bytes < kLarge);
  first.reset();
  const OldestSnapshot oldest = told();
  CHECK(oldest.commit == second->commit());
  CHECK(oldest.inodes == kFiles + 3);  // the files, "kept", "large" and the root
  CHECK(oldest.bytes > kLarge + kFiles * 100);
}

TEST_CASE("what goes from below a directory is freed though blocks above share older versions of it", "[volume]") {
  Volume volume = empty();
  for (int i = 0; i < 20; ++i) fill(volume, "top-" + std::to_string(i), 1);  // neighbours that hold blocks together
  fill(volume, "top-7/middle", 20);
  volume.quiesce();
  const auto before = volume.counters();
  fill(volume, "top-7/middle/d", 5000);
  const auto remove_each = [](auto& writer) {
    for (int i = 0; i < 5000; ++i) must(writer.unlink("top-7/middle/d/file-" + std::to_string(i)));
  };
  SECTION("one by one") { remove_each(volume); }
  SECTION("in one transaction") {
    auto transaction = volume.begin();
    REQUIRE(transaction);
    remove_each(*transaction);
    REQUIRE(transaction->commit());
  }
  SECTION("as a tree that was changed lately") {
    // So many neighbours one by one that "d" comes into a base.
    for (int i = 0; i < 30; ++i) must(volume.write("top-7/middle/more-" + std::to_string(i), text("x")));
    must(volume.chmod("top-7/middle/d", 0700));
    must(volume.remove_tree("top-7/middle/d"));
  }
  SECTION("as a tree of empty files") {
    for (int i = 0; i < 5000; ++i) must(volume.truncate("top-7/middle/d/file-" + std::to_string(i), 0));
    must(volume.remove_tree("top-7/middle/d"));
  }
  SECTION("moved out and removed there") {
    must(volume.rename("top-7/middle/d", "top-8/d"));
    must(volume.remove_tree("top-8/d"));
  }
  volume.quiesce();
  // Some edits' worth for each directory on the way: 4 KiB of churn, 256 bytes or more an edit.
  CHECK(volume.counters().inodes <= before.inodes + 4 * 3 * 16);
}

TEST_CASE("renaming, cloning and removing a directory cost little, whatever it holds", "[volume]") {
  Volume volume = empty();
  fill(volume, "small", 1);
  fill(volume, "large", 20'000);
  // What is copied is of the root, whose shape depends on the seed: four names in a few nodes.
  constexpr std::uint64_t kMost = 12;
  for (const std::string name : {"large", "small"}) {
    CHECK(copies(volume, [&] { return volume.rename(name, name + "-moved"); }) <= kMost);
    CHECK(copies(volume, [&] { return volume.clone(name + "-moved", name + "-copy"); }) <= kMost);
    CHECK(copies(volume, [&] { return volume.remove_tree(name + "-moved"); }) <= kMost);
    CHECK(copies(volume, [&] { return volume.rename(name + "-copy", name); }) <= kMost);
  }
}

TEST_CASE("a write into a large directory copies a few parts of it", "[volume]") {
  Volume volume = empty();
  fill(volume, "large", 20'000);
  std::uint64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "large/file-" + std::to_string(i * 97);
    most = std::max(most, copies(volume, [&] { return volume.write(name, text("y")); }));
  }
  CHECK(most <= 60);  // twice the depth to be expected of 20,000 / 32 blocks, with the root's
}

TEST_CASE("a volume over a pack shows the pack and leaves it as it is", "[volume]") {
  const TempDir dir;
  const Attributes plain{.mode = 0644, .uid = 0, .gid = 0, .mtime = {1, 0}, .xattrs = {}};
  build_pack(dir.path("pack"), [&](PackBuilder& builder) {
    must(builder.add_directory("d", plain));
    must(builder.add_file("d/f", plain, text("from the pack")));
    must(builder.add_file("g", plain, text("other")));
  });
  const Pack pack = open_pack(dir.path("pack"));
  auto volume = Volume::memory(pack);
  REQUIRE(volume);
  const Snapshot before = volume->snapshot();
  must(volume->append("d/f", text(", and more")));
  must(volume->rename("d", "e"));
  must(volume->unlink("g"));
  auto changed = volume->open_file("e/f");
  REQUIRE(changed);
  CHECK(content_of(*changed) == "from the pack, and more");
  CHECK_FALSE(volume->stat("d"));
  CHECK_FALSE(volume->stat("g"));
  auto packed = pack.root().open("d/f");
  REQUIRE(packed);
  CHECK(content_of(*packed) == "from the pack");

  const auto changes = diff(before, volume->snapshot());
  REQUIRE(changes);
  std::vector<std::string> told;
  for (const Change& change : *changes) {
    told.push_back(std::to_string(static_cast<int>(change.kind)) + " " + change.path + " " + change.from);
  }
  CHECK(told == std::vector<std::string>{"2  ", "3 e d", "2 e/f ", "1 g "});
}

TEST_CASE("a thread begun after the one that began a transaction has ended does not count as that one", "[volume]") {
  Volume volume = empty();
  std::optional<Transaction> transaction;
  std::thread([&] {
    auto begun = volume.begin();
    if (begun) transaction.emplace(std::move(*begun));
  }).join();
  REQUIRE(transaction);
  std::optional<ErrorCode> code;
  std::thread([&] {
    // What a thread has of its own lies where it lay for the one before.
    const auto begun = volume.begin_for(std::chrono::milliseconds(1));
    if (!begun) code = begun.error().code();
  }).join();
  CHECK(code == Error::from_errno(ETIMEDOUT).code());
}

TEST_CASE("a forked child can end with a volume that its parent made", "[volume]") {
  std::optional<Volume> volume = empty();
  must(volume->write("a", text("x")));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(10);  // ends a child that waits for ever
    const bool can_read = volume->stat("a").has_value();
    volume.reset();
    _exit(can_read ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  must(volume->write("a", text("y")));
}

TEST_CASE("a listing of an open transaction is held as the commit it belongs to, not as the first state", "[volume]") {
  Volume volume = empty();
  must(volume.write("a", text("x")));
  auto transaction = volume.begin();
  REQUIRE(transaction);
  must(transaction->write("b", text("y")));
  const Listing listing = transaction->list();
  const auto commit = transaction->commit();
  REQUIRE(commit);
  must(volume.write("a", text("z")));
  volume.quiesce();
  const auto oldest = volume.oldest_snapshot();
  REQUIRE(oldest);
  CHECK(oldest->commit == *commit);
}
