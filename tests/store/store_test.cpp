#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "store/stores.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

ErrorCode code_of(const Result<Volume>& volume) { return volume ? ErrorCode{} : volume.error().code(); }

}  // namespace

TEST_CASE("what was written is found after closing, with its numbers and times", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  Stat before;
  std::uint64_t commit = 0;
  {
    Volume volume = open_store_at(path);
    must(volume.write("a/b/c", bytes_of("hello"), make_parents));
    must(volume.symlink("b/c", "a/link"));
    must(volume.chmod("a/b/c", 0600));
    must(volume.append("a/b/c", bytes_of(", world")));
    must(volume.set_xattr("a", "user.x", bytes_of("value")));
    must(volume.link("a/b/c", "second"));
    before = *volume.stat("a/link");
    commit = volume.snapshot().commit();
  }
  const Volume volume = open_store_at(path);
  CHECK(read_text(volume, "a/link") == "hello, world");
  CHECK(read_text(volume, "second") == "hello, world");
  const auto after = volume.stat("a/link");
  REQUIRE(after);
  CHECK(after->inode == before.inode);
  CHECK(after->mode == 0600);
  CHECK(after->nlink == 2);
  CHECK(after->mtime == before.mtime);
  CHECK(after->ctime == before.ctime);
  CHECK(volume.xattrs("a")->size() == 1);
  CHECK(volume.snapshot().commit() >= commit);
}

TEST_CASE("a store is opened once at a time, and free when its last handle goes", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  std::optional<Volume> first = open_store_at(path);
  CHECK(code_of(Volume::open(path)) == ErrorCode::busy);
  auto transaction = first->begin();
  REQUIRE(transaction);
  must(transaction->write("late", bytes_of("committed when only the transaction was left")));
  first.reset();
  CHECK(code_of(Volume::open(path)) == ErrorCode::busy);
  REQUIRE(transaction->commit());
  const Snapshot held = open_store_at(path).snapshot();
  CHECK(text_of(*held.open("late")->read_all()) == "committed when only the transaction was left");
  CHECK(code_of(Volume::open(path)) == ErrorCode{});
}

TEST_CASE("a snapshot of a store outlives it, contents that lie in segments included", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::string large(1'000'000, 'x');
  must(open_store_at(path).write("large", bytes_of(large)));
  std::optional<File> file;
  {
    const Volume volume = open_store_at(path);
    file = *volume.open_file("large");
  }
  std::filesystem::remove_all(path);
  const auto bytes = file->bytes();
  REQUIRE(bytes);
  CHECK(text_of(*bytes) == large);
}

TEST_CASE("only an empty directory becomes a store", "[store]") {
  const TempDir directory;
  StoreOptions existing;
  existing.create = false;
  CHECK(code_of(Volume::open(directory.path("none"), existing)) == ErrorCode::no_entry);
  CHECK_FALSE(std::filesystem::exists(directory.path("none")));
  CHECK(code_of(Volume::open(directory.path("no/parent"))) == ErrorCode::no_entry);

  const std::string foreign = directory.path("foreign");
  std::filesystem::create_directory(foreign);
  CHECK(code_of(Volume::open(foreign, existing)) == ErrorCode::no_entry);
  std::ofstream(foreign + "/letter") << "dear";
  const auto refused = Volume::open(foreign);
  CHECK(code_of(refused) == ErrorCode::corrupt);
  CHECK(refused.error().path() == foreign + "/letter");
  CHECK(std::distance(std::filesystem::directory_iterator(foreign), {}) == 1);

  std::ofstream(directory.path("file")) << "x";
  CHECK(code_of(Volume::open(directory.path("file"))) == ErrorCode::not_a_directory);
}

TEST_CASE("a store that lost its manifest is refused, not made anew", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  must(open_store_at(path).write("a", bytes_of("precious")));
  const std::string saved = directory.path("saved");
  std::filesystem::rename(path + "/CURRENT", saved);
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  CHECK(code_of(Volume::open(path)) == ErrorCode::corrupt);
  CHECK(read_host_file(segment) == bytes);
  std::filesystem::rename(saved, path + "/CURRENT");
  CHECK(read_text(open_store_at(path), "a") == "precious");
}

TEST_CASE("commits that need not be durable are seen at once, and are durable after sync()", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  Volume volume = open_store_at(path).with(Durability::async);
  const std::uint64_t before = volume.snapshot().commit();
  for (int i = 0; i < 100; ++i) must(volume.write("f" + std::to_string(i), bytes_of("x")));
  CHECK(volume.snapshot().commit() == before + 100);
  must(volume.sync());
  auto transaction = volume.begin();
  REQUIRE(transaction);
  must(transaction->unlink("f0"));
  REQUIRE(transaction->commit(Durability::async));
  CHECK_FALSE(*volume.exists("f0"));
}

TEST_CASE("a forked child cannot use its parent's store, and does not keep it from anyone", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  std::optional<Volume> volume = open_store_at(path);
  must(volume->write("a", bytes_of("x")));
  std::array<int, 2> to_child{};
  std::array<int, 2> to_parent{};
  REQUIRE(::pipe(to_child.data()) == 0);
  REQUIRE(::pipe(to_parent.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto written = volume->write("b", bytes_of("y"));
    const bool refused = !written && written.error().code() == ErrorCode::busy;
    const auto begun = volume->begin();
    const bool transaction_refused = !begun && begun.error().code() == ErrorCode::busy;
    const bool sync_refused = !volume->sync();
    volume.reset();
    char byte = 0;
    ::close(to_child[1]);
    ::close(to_parent[1]);
    const bool told = ::read(to_child[0], &byte, 1) == 0;  // until the parent has opened it again
    ::_exit(refused && transaction_refused && sync_refused && told ? 0 : 1);
  }
  ::close(to_child[0]);
  ::close(to_parent[1]);
  char byte = 0;
  REQUIRE(::read(to_parent[0], &byte, 1) == 0);  // until the child has tried
  must(volume->write("d", bytes_of("z")));
  volume.reset();
  {
    const Volume again = open_store_at(path);
    CHECK(again.totals()->entries == 2);
  }
  ::close(to_child[1]);
  ::close(to_parent[0]);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(open_store_at(path).totals()->entries == 2);
}

TEST_CASE("a forked child does not wait for a turn that another thread of its parent has", "[store]") {
  const TempDir directory;
  const Volume volume = open_store_at(directory.path("store"));
  std::promise<void> begun;
  std::promise<void> ended;
  std::thread other([&] {
    const auto transaction = Volume(volume).begin();
    begun.set_value();
    ended.get_future().wait();
  });
  begun.get_future().wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // the end of a child that waits
    Volume mine(volume);
    const auto is_busy = [](const auto& result) { return !result && result.error().code() == ErrorCode::busy; };
    const bool refused = is_busy(mine.write("a", bytes_of("x"))) && is_busy(mine.begin()) &&
                         is_busy(mine.begin_for(std::chrono::hours(1))) && is_busy(mine.sync());
    ::_exit(refused ? 0 : 1);
  }
  ended.set_value();
  other.join();
  REQUIRE(child > 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a transaction larger than its buffer is whole or not there", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::string piece(300'000, 'p');
  {
    Volume volume = open_store_at(path);
    auto dropped = volume.begin();
    REQUIRE(dropped);
    for (int i = 0; i < 20; ++i) must(dropped->write("dropped" + std::to_string(i), bytes_of(piece)));
    dropped->drop();
    auto kept = volume.begin();
    REQUIRE(kept);
    for (int i = 0; i < 20; ++i) must(kept->write("kept" + std::to_string(i), bytes_of(piece)));
    REQUIRE(kept->commit());
    must(volume.write("small", bytes_of("behind them")));
    auto open = volume.begin();
    REQUIRE(open);
    for (int i = 0; i < 20; ++i) must(open->write("open" + std::to_string(i), bytes_of(piece)));
    copy_killed(path, directory.path("killed"));
  }
  for (const char* name : {"store", "killed"}) {
    const Volume volume = open_store_at(directory.path(name));
    CHECK(volume.totals()->entries == 21);
    CHECK(read_text(volume, "kept19") == piece);
    CHECK(read_text(volume, "small") == "behind them");
  }
}

TEST_CASE("contents larger than the buffer, some of calls that fail, are found", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  std::string large(5'000'001, 'a');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('b' + i / 1000 % 20);
  {
    Volume volume = open_store_at(path);
    must(volume.make_directory("d"));
    CHECK(volume.write("missing/file", bytes_of(large)).error().code() == ErrorCode::no_entry);
    must(volume.write("one", bytes_of(large)));
    auto transaction = volume.begin();
    REQUIRE(transaction);
    must(transaction->write("before", bytes_of("b")));
    CHECK(transaction->write("d", bytes_of(large)).error().code() == ErrorCode::is_a_directory);
    must(transaction->append("two", bytes_of(large)));
    CHECK(transaction->write_at("missing", 0, bytes_of(large)).error().code() == ErrorCode::no_entry);
    must(transaction->write_at("two", 10, bytes_of(large)));
    REQUIRE(transaction->commit());
    copy_killed(path, directory.path("killed"));
  }
  for (const char* name : {"store", "killed"}) {
    const Volume volume = open_store_at(directory.path(name));
    CHECK(volume.totals()->entries == 4);
    CHECK(read_text(volume, "one") == large);
    CHECK(read_text(volume, "before") == "b");
    CHECK(read_text(volume, "two") == large.substr(0, 10) + large);
  }
}

TEST_CASE("a journal goes on in further segments, and all of them are read", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  StoreOptions options;
  options.segment_bytes = 1000;
  {
    auto volume = Volume::open(path, options);
    REQUIRE(volume);
    for (int i = 0; i < 30; ++i) must(volume->write("f" + std::to_string(i), bytes_of(std::string(300, 'x'))));
    copy_killed(path, directory.path("killed"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(path), {}) > 10);
  for (const char* name : {"store", "killed"}) {
    Volume volume = open_store_at(directory.path(name));
    CHECK(volume.totals()->entries == 30);
    for (int i = 0; i < 30; ++i) CHECK(read_text(volume, "f" + std::to_string(i)) == std::string(300, 'x'));
    must(volume.write("f30", bytes_of("goes on")));
  }
  CHECK(read_text(open_store_at(path), "f30") == "goes on");
}

TEST_CASE("reopening without a change writes nothing", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  must(open_store_at(path).write("a", bytes_of("x")));
  const auto manifest = read_host_file(path + "/CURRENT");
  const auto bytes = read_host_file(segment_of(path));
  for (int i = 0; i < 3; ++i) CHECK(read_text(open_store_at(path), "a") == "x");
  CHECK(read_host_file(path + "/CURRENT") == manifest);
  CHECK(read_host_file(segment_of(path)) == bytes);
}
