#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "hostile/pack_editor.h"
#include "hostile/specimen.h"
#include "hostile/verdict.h"
#include "packfs/view.h"
#include "tree/table.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

std::uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// The specimen, in which a file claims to be that long.
std::vector<std::byte> with_size(std::string_view name, std::uint64_t size) {
  PackEditor editor(specimen());
  const std::uint64_t entry = editor.entry(name);
  editor.element<pack::EntryElement>(Section::entries, entry).size.set(0);
  std::array<std::byte, 8> bytes{};
  base::store_le(bytes.data(), size);
  editor.set_presence(entry, pack::kHasSize, bytes);
  return editor.seal();
}

}  // namespace

TEST_CASE("a size that a file merely claims gets no memory", "[hostile][sizes]") {
  const std::string name = GENERATE(as<std::string>(), "run", "packed");
  const std::uint64_t size =
      GENERATE(as<std::uint64_t>(), (1ULL << 63) - 1, 1ULL << 40, 1ULL << 30, (1ULL << 30) - 1, 1ULL << 29);
  const auto bytes = with_size(name, size);
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const View root = open->pack.root();
  const auto file = root.open(name);
  REQUIRE(file);
  CHECK(file->size() == size);
  const std::uint64_t before = peak_bytes();
  const auto borrowed = file->bytes();
  const auto copied = file->read_all();
  REQUIRE_FALSE(borrowed);
  REQUIRE_FALSE(copied);
  for (const Error& error : {borrowed.error(), copied.error()}) {
    CHECK((error.code() == ErrorCode::corrupt || error.code() == ErrorCode::too_large));
  }
  std::array<std::byte, 100> buffer{};
  CHECK(file->read(0, buffer).error().code() == ErrorCode::corrupt);
  CHECK(file->read(size - 1, buffer).error().code() == ErrorCode::corrupt);
  CHECK(file->read(size / 2, buffer).error().code() == ErrorCode::corrupt);
  CHECK(peak_bytes() - before < (64U << 20));
}

TEST_CASE("a hole may be as long as it says, and costs nothing", "[hostile][sizes]") {
  const std::uint64_t size = GENERATE(as<std::uint64_t>(), (1ULL << 63) - 1, 1ULL << 62);
  const auto bytes = with_size("vast", size);
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const auto file = open->pack.root().open("vast");
  REQUIRE(file);
  CHECK(file->bytes().error().code() == ErrorCode::too_large);
  CHECK(file->read_all().error().code() == ErrorCode::too_large);
  std::array<std::byte, 100> buffer{};
  CHECK(file->read(size - 10, buffer) == 10);
  CHECK(file->read(0, buffer) == 100);
  const auto listed = open->pack.verify();
  REQUIRE(listed);
  CHECK(listed->damages != 0);
}

TEST_CASE("a file may not be longer than 2^63 - 1", "[hostile][sizes]") {
  const auto bytes = with_size("vast", GENERATE(as<std::uint64_t>(), 1ULL << 63, ~0ULL));
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  CHECK(open->pack.root().open("vast").error().code() == ErrorCode::corrupt);
}

TEST_CASE("a symlink's target may not be longer than a path", "[hostile][sizes]") {
  const auto bytes = with_size("sym", GENERATE(as<std::uint64_t>(), (1ULL << 20) + 1, 1ULL << 40, (1ULL << 63) - 1));
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  CHECK(open->pack.root().readlink("sym").error().code() == ErrorCode::corrupt);
}
