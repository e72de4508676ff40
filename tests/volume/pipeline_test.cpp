#include "volume/pipeline.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/rcu.h"
#include "tree/operation.h"
#include "volume/core.h"

using namespace packfs;

namespace {

/// A journal that writes nothing. The first sync ends when the second commit is written, and that commit is not told to
/// the pipeline before the first one has returned.
class OverlappingJournal final : public volume::Journal {
 public:
  [[nodiscard]] Result<void> usable() const override { return {}; }
  Result<void> add(tree::Operation&, const log::Setting&) override { return {}; }
  void take_back() noexcept override {}
  void drop() noexcept override {}
  [[nodiscard]] bool must_be_durable() const noexcept override { return false; }
  Result<void> commit(std::uint64_t number) override {
    std::unique_lock lock(mutex_);
    committed_ = number;
    changed_.notify_all();
    if (number == 2) changed_.wait(lock, [&] { return first_returned_; });
    return {};
  }
  Result<std::uint64_t> sync() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return committed_ == 2; });
    return committed_;
  }
  void wait_for_first() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return committed_ != 0; });
  }
  void first_returned() {
    const std::lock_guard lock(mutex_);
    first_returned_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t committed_ = 0;
  bool first_returned_ = false;
};

Result<void> make_directory(volume::Core& core, std::string_view path) {
  return core.apply({.kind = tree::Operation::Kind::make_directory, .mode = 0755, .path = path}, Durability::sync);
}

std::uint64_t newest(volume::Core& core) {
  const base::rcu::ReadSection section;
  return core.domain().peek()->commit();
}

}  // namespace

TEST_CASE("a sync that covers a commit whose state is not there yet does not count as its publication", "[pipeline]") {
  const auto core = volume::Core::make({}, {}, volume::Core::first_stamp({}));
  REQUIRE(core);
  auto journal = std::make_unique<OverlappingJournal>();
  OverlappingJournal& overlapping = *journal;
  (*core)->attach(std::move(journal));
  std::uint64_t seen_by_first = 0;
  std::thread first([&] {
    if (make_directory(**core, "first")) seen_by_first = newest(**core);
    overlapping.first_returned();
  });
  std::uint64_t seen_by_second = 0;
  std::thread second([&] {
    overlapping.wait_for_first();
    if (make_directory(**core, "second")) seen_by_second = newest(**core);
  });
  first.join();
  second.join();
  CHECK(seen_by_first == 1);
  CHECK(seen_by_second == 2);
}
