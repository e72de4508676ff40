#include <barrier>
#include <catch2/catch.hpp>
#include <thread>

#include "hostile/specimen.h"
#include "hostile/verdict.h"

using namespace packfs;
using namespace packfs::testing;

TEST_CASE("threads that touch a pack first at the same time all get the right answers", "[hostile][threads]") {
  constexpr std::size_t kThreads = 8;
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const bool wide = GENERATE(true, false);
  const auto& bytes = wide ? wide_specimen() : specimen();
  const Judge judge(bytes);
  for (int round = 0; round < (wide ? 2 : 20); ++round) {
    const auto open = open_bytes(bytes, mode);
    REQUIRE(open);
    std::vector<std::size_t> wrong(kThreads);
    std::vector<std::uint64_t> damages(kThreads);
    std::barrier start(static_cast<std::ptrdiff_t>(kThreads));
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        if (i == 0) damages[i] = open->pack.verify()->damages;
        const PackFacts facts = facts_of(open->pack, bytes.size(), judge.names());
        wrong[i] = facts.answers == judge.truth().answers ? facts.errors.size() : 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<std::size_t>(kThreads));
    CHECK(damages == std::vector<std::uint64_t>(kThreads));
  }
}

TEST_CASE("threads that touch a damaged pack at the same time all get errors", "[hostile][threads]") {
  constexpr std::size_t kThreads = 8;
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const Judge judge(wide_specimen());
  std::vector<std::byte> bytes = wide_specimen();
  for (std::size_t at = 5000; at < bytes.size() - 1024; at += 9973) bytes[at] ^= std::byte{4};
  const auto open = open_bytes(bytes, mode);
  REQUIRE(open);
  std::vector<std::vector<std::string>> wrong(kThreads);
  std::vector<std::size_t> errors(kThreads);
  std::barrier start(static_cast<std::ptrdiff_t>(kThreads));
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      const PackFacts facts = facts_of(open->pack, bytes.size(), judge.names());
      wrong[i] = wrong_answers(judge.truth(), facts);
      errors[i] = facts.errors.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::vector<std::string>>(kThreads));
  CHECK(errors[0] > 0);
  CHECK(errors == std::vector<std::size_t>(kThreads, errors[0]));
}
