#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "base/alloc.h"
#include "content/content.h"
#include "content/whole_content.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::content;

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

Bytes filled(std::size_t count, unsigned value) { return Bytes(count, static_cast<std::byte>(value)); }

class MemoryBacking final : public Backing {
 public:
  explicit MemoryBacking(Bytes bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const override {
    if (fails) return std::unexpected(Error(ErrorCode::io_error));
    const std::size_t count = std::min<std::size_t>(buffer.size(), bytes_.size() - offset);
    std::memcpy(buffer.data(), bytes_.data() + offset, count);
    return count;
  }
  Result<std::span<const std::byte>> borrow() const override {
    return std::unexpected(Error(ErrorCode::not_supported));
  }
  Result<Range> next_data(std::uint64_t offset) const override { return Range{offset, bytes_.size()}; }

  bool fails = false;

 private:
  Bytes bytes_;
};

/// Many pieces of each kind, short ones among them.
Held many_pieces() {
  Held content = must(Content::over(Ref<const Backing>(new MemoryBacking(filled(100'000, 1)))));
  content = must(content->resized(150'000));
  for (std::uint64_t offset = 200; offset < 150'000; offset += 9'000) {
    content = must(content->written(offset, filled(300, 2)));
  }
  return must(content->appended(filled(5'000, 3)));
}

using Made = std::function<Result<Held>(const Content&)>;

/// Lets each allocation of `make` fail, once or for ever; how many there were.
std::uint64_t fail_each(const Content& base, const Made& make, bool for_ever) {
  const Bytes before = all_of(base);
  const std::uint64_t contents = live_contents();
  const std::uint64_t chunks = live_chunks();
  for (std::uint64_t n = 0; n < 10'000; ++n) {
    base::fail_allocations(n, for_ever);
    Result<Held> made = make(base);
    const bool failed = base::allocation_has_failed();
    base::fail_allocations(SIZE_MAX);
    CHECK(failed != made.has_value());
    if (made) return n;
    CHECK(made.error().code() == ErrorCode::no_memory);
    CHECK(live_contents() == contents);
    CHECK(live_chunks() == chunks);
    if (all_of(base) != before) FAIL("changed by the failure of allocation " << n);
  }
  FAIL("no end of failures");
  return 0;
}

}  // namespace

TEST_CASE("memory that runs out at any allocation is an error that leaves nothing behind", "[content][live][memory]") {
  const bool for_ever = GENERATE(false, true);
  const std::uint64_t contents = live_contents();
  const std::uint64_t chunks = live_chunks();
  {
    const Held base = many_pieces();
    const Bytes few = filled(30, 7);
    const Bytes many = filled(3 * kMegabyte, 8);
    const Ref<const Backing> backing(new MemoryBacking(few));
    const std::vector<Made> makers{
        [&](const Content&) { return Content::copy_of(few); },
        [&](const Content&) { return Content::adopt(std::make_unique<std::byte[]>(100), 100); },
        [&](const Content&) { return Content::over(backing); },
        [&](const Content&) { return Content::hole(1000); },
        [&](const Content& content) { return content.appended(few); },
        [&](const Content& content) { return content.appended(many); },
        [&](const Content& content) { return content.written(70'010, few); },
        [&](const Content& content) { return content.written(9'100, many); },
        [&](const Content& content) { return content.written(400'000, few); },
        [&](const Content& content) { return content.resized(63'300); },
        [&](const Content& content) { return content.resized(400'000); },
    };
    for (std::size_t i = 0; i < makers.size(); ++i) {
      INFO("maker " << i);
      CHECK(fail_each(*base, makers[i], for_ever) >= 2);
    }
  }
  CHECK(live_contents() == contents);
  CHECK(live_chunks() == chunks);
}

TEST_CASE("reading needs no memory", "[content][live][memory]") {
  const Held content = many_pieces();
  Bytes bytes(content->size());
  base::fail_allocations(0, true);
  const auto read = content->read(0, bytes);
  const auto data = content->next_data(120'000);
  const bool failed = base::allocation_has_failed();
  base::fail_allocations(SIZE_MAX);
  CHECK_FALSE(failed);
  REQUIRE(read);
  CHECK(*read == bytes.size());
  CHECK(data);
}

TEST_CASE("appends that are given up cost no more pieces or memory than those that stay", "[content][live][memory]") {
  const std::size_t begin = GENERATE(std::size_t{0}, kMegabyte);
  Held content = must(Content::copy_of(filled(begin, 1)));
  Bytes model = filled(begin, 1);
  for (unsigned i = 0; i < 2000; ++i) {
    const Held given_up = must(content->appended(filled(10, 9)));
    content = must(content->appended(filled(10, i)));
    model.insert(model.end(), 10, static_cast<std::byte>(i));
  }
  CHECK(all_of(*content) == model);
  CHECK(content->piece_count() <= 2 + 2 * 20'000 / 4096);
  CHECK(content->memory_bytes() <= begin + 100'000);
}

TEST_CASE("a short append to much content takes little memory, so that many may branch off",
          "[content][live][memory]") {
  const Ref<const Backing> backing(new MemoryBacking(filled(kMegabyte, 1)));
  const Held over = must(must(Content::over(backing))->appended(filled(10, 2)));
  CHECK(over->memory_bytes() <= 4096);
  const Held copied = must(must(Content::copy_of(filled(kMegabyte, 1)))->appended(filled(10, 2)));
  CHECK(copied->memory_bytes() <= kMegabyte + 4096);
}

TEST_CASE("content of any size takes little more memory than it has bytes", "[content][live][memory]") {
  const std::size_t size = GENERATE(std::size_t{1}, kMegabyte + 1000, 2 * kMegabyte, 2 * kMegabyte + 1, 7 * kMegabyte);
  CHECK(must(Content::copy_of(filled(size, 1)))->memory_bytes() <= size + size / 7 + 1000);
}

TEST_CASE("a hole grows without pieces", "[content][live]") {
  Held content = must(Content::copy_of(filled(100, 1)));
  for (std::uint64_t size = 200; size <= 100'000; size += 100) content = must(content->resized(size));
  CHECK(content->piece_count() == 2);
  content = must(content->written(200'000, filled(1, 1)));
  CHECK(content->piece_count() == 3);
  Bytes model = filled(200'001, 0);
  std::fill_n(model.begin(), 100, std::byte{1});
  model.back() = std::byte{1};
  CHECK(all_of(*content) == model);
}

TEST_CASE("many small writes over a backing leave few pieces", "[content][live]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  Bytes model = filled(kMegabyte, 1);
  Held content = must(Content::over(Ref<const Backing>(new MemoryBacking(model))));
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::size_t offset = random() % model.size();
    content = must(content->written(offset, filled(1, i)));
    model[offset] = static_cast<std::byte>(i);
  }
  CHECK(all_of(*content) == model);
  CHECK(content->piece_count() <= 3 * (model.size() / 4096));
}

TEST_CASE("small writes side by side become one piece, whichever way they go", "[content][live]") {
  const bool upwards = GENERATE(true, false);
  Bytes model = filled(kMegabyte, 1);
  Held content = must(Content::copy_of(model));
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t offset = upwards ? 500'000 + i : 500'000 - i;
    content = must(content->written(offset, filled(1, 2)));
    model[offset] = std::byte{2};
  }
  CHECK(content->piece_count() == 3);
  CHECK(all_of(*content) == model);
}

TEST_CASE("a write beside a piece that cannot be read succeeds, reading it does not", "[content][live]") {
  auto* const backing = new MemoryBacking(filled(3000, 1));
  const Held base = must(Content::over(Ref<const Backing>(backing)));
  backing->fails = true;
  const Held written = must(base->written(1000, filled(10, 2)));
  Bytes part(10);
  REQUIRE(written->read(1000, part));
  CHECK(part == filled(10, 2));
  Bytes whole(3000);
  const auto refused = written->read(0, whole);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == ErrorCode::io_error);
  backing->fails = false;
  Bytes model = filled(3000, 1);
  std::fill_n(model.begin() + 1000, 10, std::byte{2});
  CHECK(all_of(*written) == model);
}
