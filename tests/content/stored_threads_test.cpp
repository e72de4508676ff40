#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "content/image.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;

TEST_CASE("four threads read the same contents at once and each gets the right bytes", "[content][threads]") {
  const bool map = GENERATE(true, false);
  Image image;
  struct Content {
    Bytes raw;
    content::Stored stored;
  };
  std::vector<Content> contents;
  contents.push_back({prose(1, 200'000), {}});
  contents.back().stored = image.add_packed(contents.back().raw, 13);
  contents.push_back({noise(2, 600'000), {}});
  contents.back().stored = image.add_run(contents.back().raw);
  contents.push_back({prose(3, 300'000), {}});
  contents.back().stored = image.add_chained(contents.back().raw, 20'000, 2);
  const OpenImage open(image.bytes(), map);

  const std::uint64_t seed = test_seed();
  std::atomic<std::size_t> good{0};
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kReads = 300;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        std::mt19937_64 random(seed + i);
        Bytes buffer(9000);
        for (std::size_t round = 0; round < kReads; ++round) {
          const Content& content = contents[random() % contents.size()];
          const std::uint64_t offset = random() % content.raw.size();
          const auto wanted = std::span(content.raw).subspan(offset);
          const std::size_t length = std::min<std::size_t>(wanted.size(), random() % buffer.size());
          const auto count = open.reader().read(content.stored, offset, std::span(buffer).first(length));
          if (count && *count == length &&
              std::equal(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(length), wanted.begin()))
            ++good;
        }
      });
    }
  }
  CHECK(good == kThreads * kReads);
}
