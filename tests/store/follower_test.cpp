#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "packfs/store.h"
#include "store/small_disk.h"
#include "store/store.h"
#include "store/stores.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

Result<Volume> open_reader(const std::string& path, base::Io& io = base::system_io()) {
  return store::open(io, path, {.read_only = true});
}

Volume reader_of(const std::string& path) {
  auto volume = open_reader(path);
  INFO((volume ? "" : volume.error().message()));
  REQUIRE(volume);
  return std::move(*volume);
}

/// Whether there was something new; an error fails the test.
bool refreshed(Volume& reader) {
  const auto found = reader.refresh();
  INFO((found ? "" : found.error().message()));
  REQUIRE(found);
  return *found;
}

Volume writer_of(const std::string& path, std::uint64_t segment_bytes) {
  auto volume = Volume::open(path, {.segment_bytes = segment_bytes});
  REQUIRE(volume);
  return std::move(*volume);
}

}  // namespace

TEST_CASE("a reader beside the writer sees what was committed when it asks", "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::uint64_t segment_bytes = GENERATE(std::uint64_t{64}, std::uint64_t{1} << 20);
  const std::string large(100'000, 'x');
  Volume writer = writer_of(path, segment_bytes);
  must(writer.write("a/first", bytes_of("1"), make_parents));
  Volume reader = reader_of(path);
  CHECK(read_text(reader, "a/first") == "1");
  CHECK_FALSE(refreshed(reader));

  const Snapshot before = reader.snapshot();
  must(writer.rename("a", "b"));
  must(writer.write("b/large", bytes_of(large)));
  CHECK(*reader.exists("a/first"));
  CHECK(refreshed(reader));
  CHECK_FALSE(*reader.exists("a/first"));
  CHECK(read_text(reader, "b/large") == large);
  CHECK(reader.snapshot().commit() == writer.snapshot().commit());
  CHECK(before.commit() < reader.snapshot().commit());
  CHECK(before.stat("a/first"));
  CHECK_FALSE(refreshed(reader));

  auto transaction = writer.begin();
  for (int i = 0; i < 30; ++i) must(transaction->write("t" + std::to_string(i), bytes_of(large)));
  CHECK_FALSE(refreshed(reader));
  REQUIRE(transaction->commit());
  CHECK(refreshed(reader));
  CHECK(read_text(reader, "t29") == large);
}

TEST_CASE("numbers that no commit got are counted on by a reader when a segment begins behind them",
          "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  must(writer_of(path, 64).write("file", bytes_of("x")));
  Volume reader = reader_of(path);
  // The first takes a number, which the mark at the end passes on; the second begins a segment behind it.
  for (int i = 0; i < 2; ++i) {
    Volume writer = writer_of(path, 64);
    auto dropped = writer.begin();
    REQUIRE(dropped);
    must(dropped->write("dropped", bytes_of("x")));
  }
  const Volume writer = writer_of(path, 64);
  REQUIRE(writer.snapshot().commit() > reader.snapshot().commit());  // or there is nothing to tell
  CHECK(refreshed(reader));
  CHECK(reader.snapshot().commit() == writer.snapshot().commit());
  CHECK(read_text(reader, "file") == "x");
  CHECK_FALSE(refreshed(reader));
}

TEST_CASE("a reader goes on from one writer to the next", "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::uint64_t segment_bytes = GENERATE(std::uint64_t{64}, std::uint64_t{1} << 20);
  must(writer_of(path, segment_bytes).write("0", bytes_of("0")));
  Volume reader = reader_of(path);
  for (int i = 1; i < 10; ++i) {
    const std::string name = std::to_string(i);
    {
      Volume writer = writer_of(path, segment_bytes);
      must(writer.write(name, bytes_of(name)));
      if (i % 3 == 0) REQUIRE(refreshed(reader));
    }
    CHECK(refreshed(reader) == (i % 3 != 0));
    CHECK(read_text(reader, name) == name);
    CHECK(reader.totals()->entries == static_cast<std::uint64_t>(i) + 1);
  }
}

TEST_CASE("a reader writes nothing, locks nothing and makes nothing", "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  CHECK(open_reader(path).error().code() == ErrorCode::no_entry);
  CHECK_FALSE(std::filesystem::exists(path));
  std::filesystem::create_directory(path);
  CHECK(open_reader(path).error().code() == ErrorCode::no_entry);
  CHECK(std::filesystem::is_empty(path));

  const Volume writer = writer_of(path, 64);
  must(Volume(writer).write("file", bytes_of("content")));
  // What a reader of a killed writer's store must not tidy up.
  write_host_file(path + "/CURRENT.new", bytes_of("half"));
  FaultIo io(base::system_io());
  {
    auto reader = open_reader(path, io);
    REQUIRE(reader);
    CHECK(read_text(*reader, "file") == "content");
    CHECK(reader->write("new", bytes_of("x")).error().code() == ErrorCode::read_only);
    CHECK(reader->with(Durability::async).unlink("file").error().code() == ErrorCode::read_only);
    CHECK(reader->begin().error().code() == ErrorCode::read_only);
    CHECK(reader->try_begin().error().code() == ErrorCode::read_only);
    CHECK(reader->begin().error().code() == ErrorCode::read_only);  // and the turn was given back
    must(reader->sync());
    CHECK(std::filesystem::exists(path + "/CURRENT.new"));
    must(Volume(writer).write("second", bytes_of("x")));
    CHECK(refreshed(*reader));
  }
  for (const FaultIo::Call& call : io.log()) {
    INFO(call.name << " " << call.path);
    CHECK(is_reading(call));
  }
  CHECK(io.open_descriptors() == 0);
}

TEST_CASE("on a read-only medium a store is read and checked, whatever was left in it, and not written", "[store]") {
  const auto disk = SmallDisk::mount(SmallDisk::Type::tmpfs);
  if (!disk) {
    WARN("skipped: no tmpfs can be mounted here");
    return;
  }
  const std::string path = disk->path("killed");
  {
    Volume live = writer_of(disk->path("live"), 64);
    must(live.write("a", bytes_of("x")));
    must(live.write("b", bytes_of("y")));
    copy_killed(disk->path("live"), path);
  }
  std::filesystem::remove(path + "/LOCK");
  write_host_file(path + "/CURRENT.new", bytes_of("half"));
  disk->make_read_only();
  CHECK(read_text(reader_of(path), "b") == "y");
  CHECK(check_store(path)->damages == 0);
  const auto writer = Volume::open(path);
  REQUIRE_FALSE(writer);
  CHECK(writer.error().code() == ErrorCode::read_only);
  CHECK(writer.error().path() == path + "/LOCK");
  CHECK(repair_store(path).error().code() == ErrorCode::read_only);
}

TEST_CASE("a group that is half there is not there yet for a reader", "[store][follower]") {
  const TempDir directory;
  const std::string live = directory.path("live");
  const std::string path = directory.path("store");
  std::vector<std::byte> before;
  std::vector<std::byte> after;
  {
    Volume writer = open_store_at(live);
    must(writer.write("first", bytes_of("1")));
    before = read_host_file(segment_of(live));
    must(writer.write("second", bytes_of(std::string(300, '2'))));
    after = read_host_file(segment_of(live));
    copy_killed(live, path);
  }
  const std::string segment = segment_of(path);
  write_host_file(segment, before);
  Volume reader = reader_of(path);
  const std::size_t begin = used(before);
  const std::size_t end = used(after);
  REQUIRE(end > begin + 300);
  for (std::size_t cut = begin; cut < end; cut += 8) {
    // Written by another, while this has the file mapped.
    std::vector<std::byte> part = before;
    std::copy_n(after.begin() + static_cast<std::ptrdiff_t>(begin), cut - begin,
                part.begin() + static_cast<std::ptrdiff_t>(begin));
    write_host_file(segment, part);
    CHECK_FALSE(refreshed(reader));
    CHECK_FALSE(*reader.exists("second"));
    CHECK(reader_of(path).totals()->entries == 1);
  }
  write_host_file(segment, after);
  CHECK(refreshed(reader));
  CHECK(read_text(reader, "second") == std::string(300, '2'));
}

TEST_CASE("a reader that saw what a crash of the writer took away shows what there is instead", "[store][follower]") {
  const TempDir directory;
  const std::string live = directory.path("live");
  const std::string path = directory.path("store");
  {
    Volume writer = open_store_at(live);
    must(writer.write("kept", bytes_of("1")));
    must(writer.write("also kept", bytes_of("1")));
    copy_killed(live, path);
    must(writer.write("lost", bytes_of("2")));
  }
  const std::string segment = segment_of(path);
  const auto without = read_host_file(segment);
  {
    // As the writer left it when it died: not marked.
    const auto with = read_host_file(segment_of(live));
    write_host_file(segment, with);
  }
  Volume reader = reader_of(path);
  CHECK(*reader.exists("lost"));
  write_host_file(segment, without);
  {
    Volume writer = open_store_at(path);
    must(writer.write("instead", bytes_of("3")));
    must(writer.write("more", bytes_of("4")));
    CHECK(refreshed(reader));
    CHECK_FALSE(*reader.exists("lost"));
    CHECK(read_text(reader, "kept") == "1");
    CHECK(read_text(reader, "instead") == "3");
    CHECK(reader.totals()->entries == writer.totals()->entries);
    CHECK(reader.stat("")->inode == writer.stat("")->inode);
    CHECK(reader.stat("")->ctime == writer.stat("")->ctime);
    must(writer.write("later", bytes_of("5")));
  }
  CHECK(refreshed(reader));
  CHECK(read_text(reader, "later") == "5");
}

TEST_CASE("damage before what is known to be durable is told to a reader, and what it saw stays", "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  std::size_t second = 0;
  Volume writer = open_store_at(path);
  must(writer.write("first", bytes_of("1")));
  const std::string segment = segment_of(path);
  Volume reader = reader_of(path);
  second = used(read_host_file(segment));
  must(writer.write("second", bytes_of("2")));
  must(writer.write("third", bytes_of("3")));
  auto bytes = read_host_file(segment);
  bytes[second + 20] ^= std::byte{1};
  write_host_file(segment, bytes);
  const auto found = reader.refresh();
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == ErrorCode::corrupt);
  CHECK(found.error().path() == segment);
  CHECK(found.error().offset() == second);
  CHECK(reader.totals()->entries == 1);
  CHECK(open_reader(path).error().code() == ErrorCode::corrupt);
  bytes[second + 20] ^= std::byte{1};
  write_host_file(segment, bytes);
  CHECK(refreshed(reader));
  CHECK(reader.totals()->entries == 3);
  std::filesystem::remove(path + "/CURRENT");
  CHECK(reader.refresh().error().code() == ErrorCode::no_entry);
}

TEST_CASE("a damaged content of a store that was closed is seen by a reader, and told when it is read",
          "[store][follower]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  must(open_store_at(path).write("bad", bytes_of(std::string(1000, 'L'))));
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  flip(segment,
       static_cast<std::size_t>(std::search_n(bytes.begin(), bytes.end(), 100, std::byte{'L'}) - bytes.begin()));
  const Volume reader = reader_of(path);
  CHECK(reader.stat("bad")->size == 1000);
  CHECK(read_text(reader, "bad").starts_with("(error)"));
}
