#include "base/alloc.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#ifndef PACKFS_PLAIN_MALLOC
#include <mimalloc.h>
#endif

using packfs::base::Allocator;
using packfs::base::Buffer;
using packfs::base::release;
using packfs::base::try_allocate;

namespace {
// More than any machine has, and less than what is refused for its arithmetic alone.
constexpr std::size_t kTooMuch = std::size_t{1} << 62;
}  // namespace

TEST_CASE("memory is aligned to 16, all of it usable, also of no bytes at all", "[alloc]") {
  std::vector<void*> blocks;
  std::size_t misaligned = 0;
  for (std::size_t bytes = 0; bytes <= 4096; ++bytes) {
    void* memory = try_allocate(bytes);
    REQUIRE(memory != nullptr);
    std::memset(memory, 0xA5, bytes);
    if (reinterpret_cast<std::uintptr_t>(memory) % 16 != 0) ++misaligned;
    blocks.push_back(memory);
  }
  CHECK(misaligned == 0);
  std::vector<void*> sorted = blocks;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  for (void* memory : blocks) release(memory);
  release(nullptr);
}

#ifndef PACKFS_PLAIN_MALLOC
TEST_CASE("the library's memory is mimalloc's, the program's own is not", "[alloc]") {
  void* ours = try_allocate(100);
  CHECK(mi_is_in_heap_region(ours));
  release(ours);
  void* theirs = std::malloc(100);
  CHECK_FALSE(mi_is_in_heap_region(theirs));
  std::free(theirs);
  auto* made = new std::string(100, 'x');
  CHECK_FALSE(mi_is_in_heap_region(made));
  delete made;
}
#endif

TEST_CASE("what cannot be had is null, an empty buffer, or bad_alloc", "[alloc]") {
  CHECK(try_allocate(kTooMuch) == nullptr);
  CHECK(try_allocate(std::numeric_limits<std::size_t>::max()) == nullptr);
  const Buffer none = Buffer::try_make(kTooMuch);
  CHECK_FALSE(none);
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
  CHECK_THROWS_AS(Buffer(kTooMuch), std::bad_alloc);
  CHECK_THROWS_AS(Allocator<char>().allocate(kTooMuch), std::bad_alloc);
  CHECK_THROWS_AS(Allocator<std::uint64_t>().allocate(std::numeric_limits<std::size_t>::max() / 4),
                  std::bad_array_new_length);
}

TEST_CASE("a buffer knows its bytes and has one owner", "[alloc]") {
  CHECK_FALSE(Buffer());
  Buffer buffer(1000);
  REQUIRE(buffer);
  CHECK(buffer.size() == 1000);
  CHECK(buffer.span().data() == buffer.data());
  CHECK(buffer.span().size() == 1000);
  std::fill(buffer.span().begin(), buffer.span().end(), std::byte{7});
  std::byte* memory = buffer.data();
  Buffer moved = std::move(buffer);
  CHECK(moved.data() == memory);
  CHECK(moved.size() == 1000);
  CHECK(moved.span()[999] == std::byte{7});
  CHECK_FALSE(buffer);        // NOLINT(bugprone-use-after-move): the state left behind is what is tested
  CHECK(buffer.size() == 0);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("a buffer that is assigned gives up its own bytes and empties the other", "[alloc]") {
  Buffer from(10);
  std::byte* memory = from.data();
  Buffer to(20);
  to = std::move(from);
  CHECK(to.data() == memory);
  CHECK(to.size() == 10);
  CHECK_FALSE(from);        // NOLINT(bugprone-use-after-move): the state left behind is what is tested
  CHECK(from.size() == 0);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("a buffer of no bytes is there all the same", "[alloc]") {
  const Buffer buffer = Buffer::try_make(0);
  CHECK(buffer);
  CHECK(buffer.size() == 0);
}

TEST_CASE("standard containers work on the allocator", "[alloc]") {
  std::vector<int, Allocator<int>> numbers;
  numbers.resize(10'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  CHECK(numbers[9'999] == 9'999);
  std::basic_string<char, std::char_traits<char>, Allocator<char>> text(300, 'x');
  text += 'y';
  CHECK(text.size() == 301);
  CHECK(Allocator<int>() == Allocator<char>());
}
