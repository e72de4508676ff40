#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "content/content.h"
#include "store/store.h"
#include "store/stores.h"
#include "stress/sanitized.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr std::size_t kLarge = 100'000;

std::string text(char letter, std::size_t bytes = kLarge) { return std::string(bytes, letter); }

/// Fills a file's place in its segment with other bytes, behind the store's back.
void overwrite(const std::string& segment, char letter) {
  const auto bytes = read_host_file(segment);
  const auto at = std::search_n(bytes.begin(), bytes.end(), 5000, static_cast<std::byte>(letter));
  REQUIRE(at != bytes.end());
  std::fstream file(segment, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at - bytes.begin());
  file << "damaged";
}

std::string read_part(const File& file) {
  std::vector<std::byte> buffer(10);
  const auto count = file.read(0, buffer);
  return count ? text_of(buffer) : "(error) " + count.error().message();
}

}  // namespace

TEST_CASE("contents of a store lie in memory only until they are durable", "[store][contents]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = store::open(io, directory.path("store"), {});
  REQUIRE(volume);
  const auto chunks = content::live_chunks();
  must(volume->write("copied", bytes_of(text('a'))));
  auto owned = std::make_unique<std::byte[]>(kLarge);
  std::fill_n(owned.get(), kLarge, std::byte{'b'});
  must(volume->write("taken over", std::move(owned), kLarge));
  must(volume->append("appended", bytes_of(text('c'))));
  must(volume->append("appended", bytes_of(text('d', 5000))));
  must(volume->write_at("copied", 10, bytes_of(text('e', 6000))));
  CHECK(content::live_chunks() == chunks);
  CHECK(read_text(*volume, "copied") == text('a', 10) + text('e', 6000) + text('a', kLarge - 6010));
  CHECK(read_text(*volume, "taken over") == text('b'));
  CHECK(read_text(*volume, "appended") == text('c') + text('d', 5000));

  const auto async = volume->with(Durability::async);
  must(Volume(async).write("later", bytes_of(text('f'))));
  CHECK(content::live_chunks() == chunks + 1);
  CHECK(read_text(*volume, "later") == text('f'));
  must(volume->sync());
  CHECK(content::live_chunks() == chunks);
  CHECK(read_text(*volume, "later") == text('f'));
  // Short appends stay: a piece for each would cost more than it holds.
  must(volume->append("appended", bytes_of("short")));
  CHECK(content::live_chunks() == chunks + 1);
}

TEST_CASE("a sync that fails does not change what a snapshot reads", "[store][contents]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  FaultIo io(base::system_io());
  auto volume = store::open(io, path, {});
  REQUIRE(volume);
  must(volume->with(Durability::async).write("file", bytes_of(text('a'))));
  const Snapshot snapshot = volume->snapshot();
  io.fail({.call = "fdatasync"}, EIO);
  CHECK(volume->sync().error().code() == ErrorCode::poisoned);
  // What the kernel keeps after that may be anything.
  overwrite(segment_of(path), 'a');
  const auto file = snapshot.open("file");
  REQUIRE(file);
  CHECK(text_of(*file->read_all()) == text('a'));
}

TEST_CASE("what was borrowed stays when the content is in the file", "[store][contents]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = store::open(io, directory.path("store"), {});
  REQUIRE(volume);
  must(volume->with(Durability::async).write("file", bytes_of(text('a'))));
  auto file = volume->open_file("file");
  REQUIRE(file);
  const auto before = file->bytes();
  REQUIRE(before);
  REQUIRE(file->bytes()->data() == before->data());
  must(volume->sync());
  CHECK(text_of(*before) == text('a'));
  const auto after = file->bytes();
  REQUIRE(after);
  CHECK(after->data() != before->data());
  CHECK(text_of(*after) == text('a'));
}

TEST_CASE("a transaction larger than its buffer is read from where it was written", "[store][contents]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  FaultIo io(base::system_io());
  auto volume = store::open(io, path, {});
  REQUIRE(volume);
  const auto chunks = content::live_chunks();
  const bool one_large = GENERATE(false, true);
  const std::size_t size = one_large ? std::size_t{3} << 20 : 300'000;
  auto transaction = volume->begin();
  REQUIRE(transaction);
  for (char letter = 'a'; letter < 'h'; ++letter) {
    must(transaction->write(std::string(1, letter), bytes_of(text(letter, size))));
  }
  CHECK(content::live_chunks() <= chunks + 4);  // what lies in the buffer yet
  for (char letter = 'a'; letter < 'h'; ++letter) {
    CHECK(read_text(*transaction, std::string(1, letter)) == text(letter, size));
  }
  const auto early = transaction->open_file("a");
  REQUIRE(early);
  SECTION("committed") {
    // Also when it need not be durable: it is read from the file.
    io.clear_log();
    REQUIRE(transaction->commit(Durability::async));
    CHECK(io.count("fdatasync") == 1);
    CHECK(content::live_chunks() == chunks);
    for (char letter = 'a'; letter < 'h'; ++letter) {
      CHECK(read_text(*volume, std::string(1, letter)) == text(letter, size));
    }
    CHECK(text_of(*early->bytes()) == text('a', size));
  }
  SECTION("dropped") {
    transaction->drop();
    CHECK(read_part(*early).starts_with("(error)"));
    CHECK(early->bytes().error().code() == ErrorCode::stale);
    must(volume->write("other", bytes_of(text('z', 2 * size))));
    CHECK(read_part(*early).starts_with("(error)"));
    CHECK(read_text(*volume, "other") == text('z', 2 * size));
    CHECK(volume->totals()->entries == 1);
  }
  SECTION("one call of it fails") {
    // Its content was written before that was known.
    CHECK(transaction->write("missing/x", bytes_of(text('x', size))).error().code() == ErrorCode::no_entry);
    must(transaction->write("x", bytes_of(text('y', size))));
    CHECK(read_text(*transaction, "x") == text('y', size));
    REQUIRE(transaction->commit());
    CHECK(read_text(*volume, "x") == text('y', size));
    CHECK(read_text(*volume, "g") == text('g', size));
  }
  const auto entries = volume->totals()->entries;
  volume = Volume::memory();
  CHECK(open_store_at(path).totals()->entries == entries);
}

TEST_CASE("however long a transaction is, its segment is mapped a few times only", "[store][contents]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  StoreOptions options;
  options.segment_bytes = 64;
  auto volume = store::open(io, directory.path("store"), options);
  REQUIRE(volume);
  io.clear_log();
  auto transaction = volume->begin();
  for (int i = 0; i < 100; ++i) must(transaction->append("file", bytes_of(text('x', 1'000'000))));
  REQUIRE(transaction->commit());
  CHECK(volume->stat("file")->size == 100'000'000);
  const auto calls = io.log();
  const auto mapped = [](const FaultIo::Call& call) { return call.name == "mmap" && call.fd >= 0; };
  CHECK(std::ranges::count_if(calls, mapped) <= 4);
}

TEST_CASE("however many segments a store has, it has a few descriptors open", "[store][contents]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  StoreOptions options;
  options.segment_bytes = 64;
  {
    auto volume = store::open(io, directory.path("store"), options);
    REQUIRE(volume);
    for (int i = 0; i < 30; ++i) must(volume->write(std::to_string(i), bytes_of(text('x'))));
  }
  for (const bool read_only : {false, true}) {
    options.read_only = read_only;
    const auto volume = store::open(io, directory.path("store"), options);
    REQUIRE(volume);
    CHECK(read_text(*volume, "0") == text('x'));
  }
  CHECK(io.most_open_descriptors() < 10);
}

TEST_CASE("damage in what was appended is met by who reads it, not by who opens the store", "[store][contents]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::size_t size = GENERATE(std::size_t{100}, std::size_t{600}, std::size_t{20'000});
  {
    Volume volume = open_store_at(path);
    must(volume.write("file", bytes_of("x")));
    must(volume.append("file", bytes_of(text('L', size))));
    must(volume.write("other", bytes_of(text('o', 3000))));
    must(volume.write_at("other", 1000, bytes_of(text('M', size))));
  }
  const std::string segment = segment_of(path);
  const auto bytes = read_host_file(segment);
  for (const char letter : {'L', 'M'}) {
    const auto at = std::search_n(bytes.begin(), bytes.end(), 90, static_cast<std::byte>(letter));
    flip(segment, static_cast<std::size_t>(at - bytes.begin()) + 20);
  }
  const Volume volume = open_store_at(path);
  CHECK(volume.stat("file")->size == size + 1);
  for (const char* name : {"file", "other"}) {
    const auto file = volume.open_file(name);
    REQUIRE(file);
    CHECK(file->read_all().error().code() == ErrorCode::corrupt);
  }
}

TEST_CASE("readers read while contents go from memory to the file", "[store][contents][threads]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = store::open(io, directory.path("store"), {});
  REQUIRE(volume);
  constexpr int kRounds = stress::kIsSanitized ? 60 : 400;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  readers.reserve(3);
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&, t] {
      while (!done) {
        const auto file = volume->open_file("file");
        if (!file) continue;
        const auto bytes = t == 0 ? file->bytes() : Result<std::span<const std::byte>>(std::span<const std::byte>());
        const auto all = file->read_all();
        if (!all || !bytes || all->empty()) {
          ++wrong;
          continue;
        }
        const std::byte first = all->front();
        const auto same = [&](std::byte byte) { return byte == first; };
        if (!std::ranges::all_of(*all, same) || !std::ranges::all_of(*bytes, same)) ++wrong;
      }
    });
  }
  for (int i = 0; i < kRounds; ++i) {
    const std::string content = text(static_cast<char>('a' + i % 26), 20'000);
    must(volume->with(i % 2 == 0 ? Durability::sync : Durability::async).write("file", bytes_of(content)));
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}
