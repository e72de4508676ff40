#include "pack/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "packfs/view.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

std::string name_of(int number) { return "entry-" + std::to_string(1'000'000 + number); }

/// A pack of so many files in directories of 100.
void build_files(const std::string& path, int files) {
  build_pack(path, [&](PackBuilder& builder) {
    for (int i = 0; i < files; ++i) {
      const std::string directory = "d" + std::to_string(i / 100);
      if (i % 100 == 0) must(builder.add_directory(directory, kPlain));
      must(builder.add_file(directory + "/" + name_of(i), kPlain, bytes_of(name_of(i))));
    }
  });
}

std::string path_of(int number) { return "d" + std::to_string(number / 100) + "/" + name_of(number); }

/// A pack opened so that its system calls can be counted.
struct CountedPack {
  FaultIo io{base::system_io()};
  std::optional<Pack> pack;

  CountedPack(const std::string& path, ReadMode mode) {
    auto reader = pack::Reader::open(io, path, mode);
    REQUIRE(reader);
    pack.emplace(std::move(*reader));
  }
  /// What the calls so far read, and how often.
  struct Cost {
    std::uint64_t calls = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const Cost&, const Cost&) = default;
  };
  [[nodiscard]] Cost reads() const {
    Cost cost;
    for (const auto& call : io.log()) {
      if (call.name != "pread") continue;
      ++cost.calls;
      cost.bytes += call.result;
    }
    return cost;
  }
};

void overwrite(const std::string& path, std::uint64_t offset) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  std::byte byte{};
  const bool read = ::pread(fd, &byte, 1, static_cast<off_t>(offset)) == 1;
  byte ^= std::byte{1};
  const bool written = ::pwrite(fd, &byte, 1, static_cast<off_t>(offset)) == 1;
  ::close(fd);
  REQUIRE((read && written));
}

/// Where `bytes` stand in a file.
std::uint64_t find_in(const std::string& path, std::string_view bytes) {
  const auto file = read_host_file(path);
  const std::size_t at = text_of(file).find(bytes);
  REQUIRE(at != std::string::npos);
  return at;
}

}  // namespace

TEST_CASE("opening reads as much of a large pack as of a small one", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("small"), 10);
  build_files(dir.path("large"), 50'000);
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const CountedPack small(dir.path("small"), mode);
  const CountedPack large(dir.path("large"), mode);
  CHECK(large.pack->info().entries == 50'500);
  CHECK(small.reads() == large.reads());
  CHECK(small.io.count() == large.io.count());
  if (mode == ReadMode::mmap) {
    CHECK(large.reads() == CountedPack::Cost{});
  } else {
    CHECK(large.reads().bytes == 64 + 512);
  }
}

TEST_CASE("a first look-up reads a bounded number of pages, whatever the pack's size", "[pack][reader]") {
  const TempDir dir;
  const int files = GENERATE(10, 1'000, 50'000);
  build_files(dir.path("pack"), files);
  const CountedPack counted(dir.path("pack"), ReadMode::pread);
  const CountedPack::Cost opened = counted.reads();
  REQUIRE(counted.pack->root().lstat(path_of(files / 2)));
  const CountedPack::Cost found = counted.reads();
  // For two names: slots, entry, directory element, attribute set; their checksums' page and the root checksums. Slots
  // and elements may lie across two pages.
  CHECK(found.calls - opened.calls <= 12);
  CHECK(found.bytes - opened.bytes <= 12 * 16'384);
  REQUIRE(counted.pack->root().lstat(path_of(files / 2)));
  CHECK(counted.reads() == found);
  std::array<std::byte, 100> buffer{};
  REQUIRE(counted.pack->root().read(path_of(files / 2), buffer));
  CHECK(counted.reads().calls == found.calls + 1);
  CHECK(counted.reads().bytes - found.bytes <= 100);
}

TEST_CASE("a name that is not there is not found for the price of one that is", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 1'000);
  const CountedPack counted(dir.path("pack"), ReadMode::pread);
  REQUIRE(counted.pack->root().lstat("d5"));
  CHECK(counted.pack->root().lstat("nothing").error().code() == ErrorCode::no_entry);
  CHECK(counted.pack->root().lstat("d5/nothing").error().code() == ErrorCode::no_entry);
  CHECK(counted.reads().calls <= 12);
}

TEST_CASE("both read modes tell the same", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 1'234);
  const Pack mapped = open_pack(dir.path("pack"), ReadMode::mmap);
  const Pack unmapped = open_pack(dir.path("pack"), ReadMode::pread);
  std::size_t files = 0;
  for (const Result<Entry>& directory : mapped.root().list()) {
    REQUIRE(directory);
    const std::string path(directory->name());
    auto others = unmapped.root().list(path);
    auto other = others.begin();
    for (const Result<Entry>& entry : mapped.root().list(path)) {
      REQUIRE(entry);
      REQUIRE(other != others.end());
      REQUIRE(other->has_value());
      REQUIRE((*other)->name() == entry->name());
      const auto ours = entry->open();
      const auto theirs = (*other)->open();
      REQUIRE((ours && theirs));
      REQUIRE(text_of(*ours->bytes()) == entry->name());
      REQUIRE(text_of(*theirs->bytes()) == entry->name());
      REQUIRE(entry->stat()->inode == (*other)->stat()->inode);
      ++other;
      ++files;
    }
    CHECK(other == others.end());
  }
  CHECK(files == 1'234);
}

TEST_CASE("in a mapped pack a content is checked once, but a tiny one at every read", "[pack][reader]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  const std::string large = "large: " + std::string(600, 'l');
  const std::string tiny = "tiny: " + std::string(500, 't');
  build_pack(path, [&](PackBuilder& builder) {
    must(builder.add_file("large", kPlain, bytes_of(large)));
    must(builder.add_file("tiny", kPlain, bytes_of(tiny)));
  });
  const Pack pack = open_pack(path);
  std::vector<std::byte> buffer(1000);
  REQUIRE(pack.root().read("large", buffer) == large.size());
  REQUIRE(pack.root().read("tiny", buffer) == tiny.size());
  overwrite(path, find_in(path, large) + 300);
  overwrite(path, find_in(path, tiny) + 300);
  CHECK(pack.root().read("large", buffer) == large.size());
  CHECK(pack.root().read("tiny", buffer).error().code() == ErrorCode::corrupt);
  // Verification trusts nothing it saw before, and another who opens the pack sees it first.
  CHECK(pack.verify()->damages == 2);
  CHECK(open_pack(path).root().read("large", buffer).error().code() == ErrorCode::corrupt);
}

TEST_CASE("an index page is checked when first touched and not again", "[pack][reader]") {
  const TempDir dir;
  const std::string path = dir.path("pack");
  build_files(path, 100);
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const Pack touched = open_pack(path, mode);
  const Pack untouched = open_pack(path, mode);
  REQUIRE(touched.root().lstat(path_of(7)));
  const auto bytes = read_host_file(path);
  // The last place where the name stands is its entry.
  overwrite(path, text_of(bytes).rfind(name_of(50)));
  CHECK(touched.root().lstat(path_of(7)));
  const auto missed = untouched.root().lstat(path_of(7));
  REQUIRE_FALSE(missed);
  CHECK(missed.error().code() == ErrorCode::corrupt);
  CHECK(missed.error().offset().has_value());
}

TEST_CASE("a File outlives its View and its Pack", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 10);
  std::optional<File> file;
  {
    const Pack pack = open_pack(dir.path("pack"), GENERATE(ReadMode::mmap, ReadMode::pread));
    file.emplace(*pack.root().open(path_of(3)));
  }
  CHECK(text_of(*file->bytes()) == name_of(3));
}

TEST_CASE("all that was opened and mapped is given back", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 10);
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  FaultIo io(base::system_io());
  {
    auto reader = pack::Reader::open(io, dir.path("pack"), mode);
    REQUIRE(reader);
    const Pack pack(*reader);
    REQUIRE(pack.root().lstat(path_of(3)));
    CHECK(io.open_descriptors() == (mode == ReadMode::mmap ? 0 : 1));
  }
  CHECK(io.open_descriptors() == 0);
  CHECK(io.count("mmap") == io.count("munmap"));
}

TEST_CASE("whatever call fails while a pack is opened, its errno is returned and nothing is left open",
          "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 10);
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  std::uint64_t nth = 1;
  for (;; ++nth) {
    FaultIo io(base::system_io());
    io.fail({.nth = nth}, EIO);
    {
      const auto reader = pack::Reader::open(io, dir.path("pack"), mode);
      if (reader) break;
      CHECK(reader.error().code() == ErrorCode::io_error);
    }
    CHECK(io.open_descriptors() == 0);
  }
  CHECK(nth > 3);  // closing what is mapped is the fourth, and may fail
}

TEST_CASE("a pread that fails or falls short is an error or is gone on with", "[pack][reader]") {
  const TempDir dir;
  build_files(dir.path("pack"), 1'000);
  FaultIo io(base::system_io());
  auto reader = pack::Reader::open(io, dir.path("pack"), ReadMode::pread);
  REQUIRE(reader);
  const Pack pack(*reader);
  io.fail({.call = "pread"}, EIO);
  CHECK(pack.root().lstat(path_of(5)).error().code() == ErrorCode::io_error);
  // The page was not kept as read: it is read again.
  io.shorten({.call = "pread", .for_ever = true}, 1000);
  io.fail({.call = "pread", .nth = 3}, EINTR);
  REQUIRE(pack.root().lstat(path_of(5)));
  std::array<std::byte, 100> buffer{};
  CHECK(pack.root().read(path_of(5), buffer) == name_of(5).size());
}
