#include "content/content.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "content/whole_content.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::content;

namespace {

Bytes pattern(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Bytes with holes between them, as a pack below a volume has them.
class FakeBacking final : public Backing {
 public:
  explicit FakeBacking(Bytes bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> buffer) const override {
    const std::size_t count = std::min<std::size_t>(buffer.size(), bytes_.size() - offset);
    std::memcpy(buffer.data(), bytes_.data() + offset, count);
    return count;
  }
  Result<std::span<const std::byte>> borrow() const override { return std::span(bytes_); }
  Result<Range> next_data(std::uint64_t offset) const override {
    while (offset < bytes_.size() && bytes_[offset] == std::byte{0}) ++offset;
    std::uint64_t end = offset;
    while (end < bytes_.size() && bytes_[end] != std::byte{0}) ++end;
    return Range{offset, end};
  }

 private:
  Bytes bytes_;
};

void resize_model(Bytes& model, std::size_t size) { model.resize(size, std::byte{0}); }

/// One random edit of a content and of its model.
void edit(std::mt19937_64& random, Held& content, Bytes& model) {
  const Bytes bytes = pattern(random() % 3 == 0 ? random() % 20000 : random() % 40, random());
  switch (random() % 4) {
    case 0:
      content = must(content->appended(bytes));
      model.insert(model.end(), bytes.begin(), bytes.end());
      break;
    case 1:
    case 2: {
      const std::uint64_t offset = random() % (model.size() + 100);
      content = must(content->written(offset, bytes));
      if (bytes.empty()) break;
      if (model.size() < offset + bytes.size()) resize_model(model, offset + bytes.size());
      std::ranges::copy(bytes, model.begin() + static_cast<std::ptrdiff_t>(offset));
      break;
    }
    default: {
      const std::size_t size = random() % (model.size() + 5000);
      content = must(content->resized(size));
      resize_model(model, size);
    }
  }
}

}  // namespace

TEST_CASE("every version of a content stays what it was, whatever is made of it", "[content][live]") {
  const std::uint64_t contents = live_contents();
  const std::uint64_t chunks = live_chunks();
  {
    std::mt19937_64 random(packfs::testing::test_seed());
    std::vector<std::pair<Held, Bytes>> versions{{must(Content::copy_of({})), {}}};
    const Bytes below = pattern(30000, 7);
    versions.emplace_back(must(Content::over(Ref<const Backing>(new FakeBacking(below)))), below);
    for (int step = 0; step < 1500; ++step) {
      // Often from the newest, now and then from an old one, so that several go on from the same end.
      auto [content, model] = versions[random() % 4 == 0 ? random() % versions.size() : versions.size() - 1];
      edit(random, content, model);
      if (all_of(*content) != model) FAIL("step " << step);
      if (versions.size() < 60) {
        versions.emplace_back(content, model);
      } else {
        versions[random() % versions.size()] = {content, model};
      }
    }
    for (const auto& [content, model] : versions) {
      CHECK(content->size() == model.size());
      CHECK(all_of(*content) == model);
      for (int i = 0; i < 20; ++i) {
        Bytes part(random() % 300);
        const std::uint64_t offset = random() % (model.size() + 10);
        const auto read = content->read(offset, part);
        REQUIRE(read);
        const std::size_t left = offset < model.size() ? model.size() - offset : 0;
        REQUIRE(*read == std::min(left, part.size()));
        CHECK(std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(*read),
                         model.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(offset, model.size()))));
      }
    }
  }
  CHECK(live_contents() == contents);
  CHECK(live_chunks() == chunks);
}

TEST_CASE("appending in steps copies each byte once and makes few pieces", "[content][live]") {
  const std::size_t step = GENERATE(1U, 100U, 65536U);
  const std::size_t total = step == 1 ? 20000 : 20'000'000;
  const Bytes bytes = pattern(step, 1);
  Held content = must(Content::copy_of({}));
  const std::uint64_t copied = bytes_copied();
  for (std::size_t size = 0; size < total; size += step) content = must(content->appended(bytes));
  CHECK(bytes_copied() - copied == content->size());
  CHECK(content->piece_count() <= 32);
}

TEST_CASE("two that go on from one content do not meet", "[content][live]") {
  const Bytes begin = pattern(1000, 1);
  const Held base = must(must(Content::copy_of({}))->appended(begin));
  const Held left = must(base->appended(pattern(50, 2)));
  const Held right = must(base->appended(pattern(70, 3)));
  const Held again = must(left->appended(pattern(30, 4)));
  const auto joined = [](Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  CHECK(all_of(*base) == begin);
  CHECK(all_of(*left) == joined(begin, pattern(50, 2)));
  CHECK(all_of(*right) == joined(begin, pattern(70, 3)));
  CHECK(all_of(*again) == joined(joined(begin, pattern(50, 2)), pattern(30, 4)));
}

TEST_CASE("many small writes into one file leave few pieces", "[content][live]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  Held content = must(Content::copy_of(pattern(1 << 20, 1)));
  Bytes model = pattern(1 << 20, 1);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t offset = random() % model.size();
    const Bytes one{static_cast<std::byte>(i)};
    content = must(content->written(offset, one));
    model[offset] = one[0];
  }
  CHECK(all_of(*content) == model);
  CHECK(content->piece_count() <= 3 * (model.size() / 4096));
}

TEST_CASE("content that is one run is lent, any other is not", "[content][live]") {
  const Bytes bytes = pattern(5000, 1);
  const Held whole = must(Content::copy_of(bytes));
  const auto lent = whole->borrow();
  REQUIRE(lent);
  CHECK(std::ranges::equal(*lent, bytes));

  auto memory = std::make_unique<std::byte[]>(bytes.size());
  std::ranges::copy(bytes, memory.get());
  const std::byte* const where = memory.get();
  const Held adopted = must(Content::adopt(std::move(memory), bytes.size()));
  REQUIRE(adopted->borrow());
  CHECK(adopted->borrow()->data() == where);

  const Held over = must(Content::over(Ref<const Backing>(new FakeBacking(bytes))));
  REQUIRE(over->borrow());
  CHECK(std::ranges::equal(*over->borrow(), bytes));
  const Held cut = must(over->resized(100));
  REQUIRE(cut->borrow());
  CHECK(std::ranges::equal(*cut->borrow(), std::span(bytes).first(100)));

  const auto refused = [](const Held& content) {
    const auto borrowed = content->borrow();
    return !borrowed && borrowed.error().code() == ErrorCode::not_supported;
  };
  CHECK(refused(must(whole->resized(6000))));
  CHECK(refused(must(Content::hole(10))));
  CHECK(refused(must(over->written(10, pattern(5, 2)))));
  CHECK(must(Content::copy_of({}))->borrow()->empty());
}

TEST_CASE("holes are passed over", "[content][live]") {
  Held content = must(Content::hole(1000));
  content = must(content->written(300, pattern(100, 1)));
  content = must(content->resized(2000));
  const auto range = [&](std::uint64_t offset) {
    const auto found = content->next_data(offset);
    REQUIRE(found);
    return std::pair(found->begin, found->end);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(range(0) == Pair{300, 400});
  CHECK(range(350) == Pair{350, 400});
  CHECK(range(400) == Pair{2000, 2000});
  CHECK(range(5000) == Pair{2000, 2000});

  Bytes sparse(100, std::byte{0});
  std::fill(sparse.begin() + 20, sparse.begin() + 30, std::byte{1});
  content = must(must(Content::over(Ref<const Backing>(new FakeBacking(sparse))))->resized(200));
  CHECK(range(0) == Pair{20, 30});
  CHECK(range(30) == Pair{200, 200});
}

TEST_CASE("sizes past 2^63 - 1 are refused", "[content][live]") {
  const Held content = must(Content::hole(INT64_MAX));
  const Bytes one(1);
  const auto code = [](const Result<Held>& made) { return made ? ErrorCode{} : made.error().code(); };
  CHECK(code(content->appended(one)) == ErrorCode::too_large);
  CHECK(code(content->written(INT64_MAX, one)) == ErrorCode::too_large);
  CHECK(code(content->resized(std::uint64_t{INT64_MAX} + 1)) == ErrorCode::too_large);
  CHECK(must(content->written(INT64_MAX - 1, one))->size() == INT64_MAX);
}

TEST_CASE("one appends while others read what was there", "[content][live][threads]") {
  std::vector<Held> versions{must(Content::copy_of(pattern(100, 1)))};
  std::atomic<std::size_t> published{1};
  versions.reserve(2001);
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      for (std::size_t done = 0; done < 2000; done = published.load(std::memory_order_acquire)) {
        const Content& content = *versions[published.load(std::memory_order_acquire) - 1];
        Bytes bytes(content.size());
        const auto read = content.read(0, bytes);
        if (!read || *read != bytes.size() || bytes.back() != static_cast<std::byte>(bytes.size())) {
          if (bytes.size() != 100) wrong.fetch_add(1);
        }
      }
    });
  }
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes(7, std::byte{0});
    bytes.back() = static_cast<std::byte>(versions.back()->size() + bytes.size());
    auto next = versions.back()->appended(bytes);
    if (!next) break;
    versions.push_back(std::move(*next));
    published.store(versions.size(), std::memory_order_release);
  }
  for (auto& reader : readers) reader.join();
  CHECK(versions.size() == 2001);
  CHECK(wrong.load() == 0);
}
