#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"
#include "store/stores.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

Result<Volume> open_with(base::Io& io, const std::string& path) { return store::open(io, path, {}); }

}  // namespace

TEST_CASE("a sync that fails poisons the store: readers see what was durable, writers are told", "[store][faults]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = open_with(io, directory.path("store"));
  REQUIRE(volume);
  must(volume->write("a", bytes_of("durable")));
  auto open = volume->begin();
  REQUIRE(open);
  must(open->write("b", bytes_of("never")));
  io.fail({.call = "fdatasync"}, EIO);
  const auto failed = open->commit();
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == ErrorCode::poisoned);
  CHECK(failed.error().message().find("Input/output error") != std::string::npos);
  CHECK(read_text(*volume, "a") == "durable");
  CHECK_FALSE(*volume->exists("b"));
  CHECK(volume->write("c", bytes_of("x")).error().code() == ErrorCode::poisoned);
  CHECK(volume->sync().error().code() == ErrorCode::poisoned);
  auto next = volume->begin();
  REQUIRE(next);
  CHECK(next->write("d", bytes_of("x")).error().code() == ErrorCode::poisoned);
  next->drop();
  const Snapshot held = volume->snapshot();
  CHECK(held.lstat("a"));
}

TEST_CASE("a durable write on an open store is one write and one sync", "[store][faults]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = open_with(io, directory.path("store"));
  REQUIRE(volume);
  must(volume->write("first", bytes_of("x")));
  io.clear_log();
  must(volume->write("second", bytes_of("content")));
  std::vector<std::string_view> names;
  for (const auto& call : io.log()) names.push_back(call.name);
  CHECK(names == std::vector<std::string_view>{"pwrite", "fdatasync"});
}

TEST_CASE("zeros for a group like the last are begun to be written before it is put together", "[store][faults]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = open_with(io, directory.path("store"));
  REQUIRE(volume);
  const std::string content(1000, 'x');
  std::ptrdiff_t begun = 0;
  for (int round = 0; round < 12; ++round) {
    INFO(round);
    auto transaction = volume->begin();
    REQUIRE(transaction);
    io.clear_log();
    for (int i = 0; i < 50; ++i) {
      must(transaction->write(std::to_string(round) + "-" + std::to_string(i), bytes_of(content)));
    }
    const auto log = io.log();
    CHECK(std::ranges::none_of(log, [](const auto& call) { return call.name == "fdatasync"; }));
    begun += std::ranges::count(log, "sync_file_range", &FaultIo::Call::name);
    io.clear_log();
    REQUIRE(transaction->commit());
    if (round != 0) CHECK(io.log().size() == 2);  // one write, one sync
  }
  CHECK(begun >= 2);
  CHECK(begun <= 6);
}

TEST_CASE("commits that need not be durable are written and not synced, until somebody asks", "[store][faults]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto opened = open_with(io, directory.path("store"));
  REQUIRE(opened);
  Volume volume = opened->with(Durability::async);
  io.clear_log();
  for (int i = 0; i < 10; ++i) must(volume.write("f" + std::to_string(i), bytes_of("x")));
  CHECK(io.count("pwrite") == 10);
  CHECK(io.count("fdatasync") == 0);
  must(volume.sync());
  CHECK(io.count("fdatasync") == 1);
  must(volume.sync());
  CHECK(io.count("fdatasync") == 1);
}

TEST_CASE("where a new segment finds no room, that transaction fails and the next tries again", "[store][faults]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  StoreOptions options;
  options.segment_bytes = 64;
  bool retried = false;
  for (std::uint64_t n = 1;; ++n) {
    INFO(n);
    FaultIo io(base::system_io());
    std::filesystem::remove_all(path);
    auto volume = store::open(io, path, options);
    REQUIRE(volume);
    must(volume->write("before", bytes_of("x")));
    io.clear_log();
    io.fail({.nth = n}, ENOSPC);
    const auto written = volume->write("new", bytes_of("x"));
    if (!io.struck()) {
      CHECK(written);
      break;
    }
    if (written) continue;
    const auto calls = io.log();
    const auto struck = std::ranges::find_if(calls, [](const FaultIo::Call& call) { return call.injected; });
    // After a sync or a rename that fails nobody knows what a crash leaves; but a new segment may still be given up.
    const bool may_poison = struck->name == "fdatasync" || struck->name == "fsync" || struck->name == "renameat2";
    INFO(struck->name << " " << struck->path << ": " << written.error().message());
    const auto again = volume->write("new", bytes_of("x"));
    if (again) {
      CHECK(written.error().code() == ErrorCode::no_space);
      retried = true;
    } else {
      CHECK(may_poison);
      CHECK(again.error().code() == ErrorCode::poisoned);
    }
    CHECK(*volume->exists("before"));
    volume = Volume::memory();
    CHECK(*open_store_at(path).exists("before"));
    CHECK(segments_of(path).size() <= 4);
  }
  CHECK(retried);
}

TEST_CASE("a commit whose sync ends when another write has failed is not said to be done unless it is seen",
          "[store][faults]") {
  const TempDir directory;
  FaultIo io(base::system_io());
  auto volume = open_with(io, directory.path("store"));
  REQUIRE(volume);
  must(volume->write("first", bytes_of("x")));
  std::promise<void> syncing;
  std::promise<void> poisoned;
  io.before({.call = "fdatasync"}, [&] {
    syncing.set_value();
    poisoned.get_future().wait();
  });
  Result<void> written;
  std::thread writer([&] { written = volume->write("a", bytes_of("x")); });
  syncing.get_future().wait();
  io.fail({.call = "pwrite"}, EIO);
  CHECK(volume->write("b", bytes_of("x")).error().code() == ErrorCode::poisoned);
  poisoned.set_value();
  writer.join();
  REQUIRE_FALSE(written);
  CHECK(written.error().code() == ErrorCode::poisoned);
  CHECK_FALSE(*volume->exists("a"));
  CHECK(*volume->exists("first"));
}
