#include <atomic>
#include <catch2/catch.hpp>
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

TEST_CASE("writers of a store share syncs, and each finds what it wrote", "[store][threads]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  FaultIo io(base::system_io());
  std::atomic<int> wrong = 0;
  {
    auto volume = store::open(io, path, {});
    REQUIRE(volume);
    const std::uint64_t before = io.count("fdatasync");
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
    CHECK(io.count("fdatasync") - before <= std::uint64_t{kThreads} * kWrites);
  }
  CHECK(open_store_at(path).totals()->entries == std::uint64_t{kThreads} * kWrites);
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
