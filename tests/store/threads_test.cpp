#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"
#include "store/stores.h"
#include "stress/sanitized.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr int kThreads = 8;
constexpr int kWrites = stress::kIsSanitized ? 30 : 200;

std::string name_of(int thread, int write) { return std::to_string(thread) + "-" + std::to_string(write); }

}  // namespace

TEST_CASE("writers of a store each find what they wrote, then and later", "[store][threads]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  FaultIo io(base::system_io());
  std::atomic<int> wrong = 0;
  {
    auto volume = store::open(io, path, {});
    REQUIRE(volume);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kWrites; ++i) {
          if (!volume->write(name_of(t, i), bytes_of("x"))) ++wrong;
          if (!volume->exists(name_of(t, i)).value_or(false)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
  CHECK(open_store_at(path).totals()->entries == std::uint64_t{kThreads} * kWrites);
}

TEST_CASE("who waits for the disk keeps nobody from writing, and the next sync covers all that came",
          "[store][threads]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = store::open(io, directory.path("store"), {});
  REQUIRE(volume);
  must(volume->write("first", bytes_of("x")));
  io.clear_log();
  std::atomic<bool> gave_up = false;
  // The first sync goes on when every writer has written; if they cannot meanwhile, it would wait for ever.
  io.before({.call = "fdatasync"}, [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (io.count("pwrite") < kThreads && !gave_up) {
      gave_up = std::chrono::steady_clock::now() > end;
      std::this_thread::yield();
    }
  });
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      if (!volume->write(name_of(t, 0), bytes_of("x"))) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK_FALSE(gave_up);
  CHECK(io.count("pwrite") == kThreads);
  CHECK(io.count("fdatasync") == 2);
}

TEST_CASE("readers never go back beside writers, durable or not, and a failed sync takes nothing they saw",
          "[store][threads]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto opened = store::open(io, directory.path("store"), {});
  REQUIRE(opened);
  Volume& volume = *opened;
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      std::uint64_t last = 0;
      while (!stop) {
        const Snapshot now = volume.snapshot();
        if (now.commit() < last) ++wrong;
        last = now.commit();
        for (const auto& entry : now.list()) {
          if (!entry) ++wrong;
        }
      }
    });
  }
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      Volume mine = volume.with(t % 2 == 0 ? Durability::sync : Durability::async);
      for (int i = 0; i < kWrites; ++i) {
        const auto written = mine.write(name_of(t, i), bytes_of("y"));
        if (!written && written.error().code() != ErrorCode::poisoned) ++wrong;
        if (i == kWrites / 2 && t == 0) io.fail({.call = "fdatasync", .nth = 3}, EIO);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(volume.write("late", bytes_of("x")).error().code() == ErrorCode::poisoned);
}
