#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/check.h"
#include "store/fault_loops.h"
#include "store/stores.h"
#include "stress/apply.h"
#include "stress/each_call.h"

using namespace packfs;
using namespace packfs::testing;
using stress::Model;

namespace {

constexpr std::uint64_t kUsual = std::uint64_t{1} << 20;

/// A disk as some process left it, and what is on it.
struct Left {
  std::string name;
  std::unique_ptr<CrashDisk> disk;
  Model model{1007, 1008};
  bool is_store = true;
};

void write_both(Volume& volume, Model& model, const std::string& path, std::size_t size) {
  const std::string content(size, 'c');
  must(volume.write(path, bytes_of(content)));
  REQUIRE(model.write(path, content, {}));
}

/// Some commits, then the process is killed, at a renaming if it is to be, or closes the store.
Left left_by(std::string name, std::uint64_t segment_bytes, bool is_killed, std::size_t large = 0) {
  Left left{std::move(name), nullptr};
  CrashDisk disk;
  {
    auto volume = open_on(disk, segment_bytes);
    REQUIRE(volume);
    write_both(*volume, left.model, "small", 10);
    write_both(*volume, left.model, "inline not", 1000);
    write_both(*volume, left.model, "aligned", 70'000);
    if (large != 0) write_both(*volume, left.model, "large", large);
    if (is_killed) disk.crash_at(disk.calls() + 1);
  }
  left.disk = disk.crash_image(1, Damage::all_kept);
  return left;
}

/// One that died between writing a new manifest and renaming it: it and its segment are left over.
Left left_in_roll() {
  Left left{"died while leaving a segment", nullptr};
  CrashDisk disk;
  {
    auto volume = open_on(disk, 64);
    REQUIRE(volume);
    write_both(*volume, left.model, "small", 10);
    const auto log = disk.log();
    std::uint64_t calls = 0;
    {
      // How far it is to the renaming: as the time before.
      write_both(*volume, left.model, "again", 10);
      const auto after = disk.log();
      while (after[log.size() + calls] != "renameat2") ++calls;
    }
    disk.crash_at(disk.calls() + calls + 1);
    CHECK_FALSE(volume->write("never", bytes_of("x")));
  }
  left.disk = disk.crash_image(1, Damage::all_kept);
  return left;
}

std::vector<Left> all_left() {
  std::vector<Left> all;
  all.push_back({"nothing", CrashDisk().crash_image(1, Damage::all_kept), Model(1007, 1008), false});
  all.push_back(left_by("closed", kUsual, false));
  all.push_back(left_by("killed", kUsual, true));
  all.push_back(left_by("killed, in segments", 64, true));
  all.push_back(left_by("closed, in segments", 64, false));
  all.push_back(left_by("killed behind a large content", kUsual, true, 1'100'000));
  all.push_back(left_in_roll());
  return all;
}

/// Each call of `act` fails in each way; it says whether the fault struck.
template <class Act>
std::uint64_t try_all(const std::string& name, Act act) {
  std::uint64_t tried = 0;
  for (const IoFault& fault : io_faults()) {
    for (std::uint64_t n = 1;; ++n) {
      INFO(name << ", call " << n << ": " << fault.text());
      ++tried;
      if (!act(fault, n)) break;
    }
  }
  return tried;
}

bool opens_in_spite(const Left& left, const IoFault& fault, std::uint64_t n) {
  const auto disk = left.disk->crash_image(1, Damage::all_kept);
  FaultIo io(*disk);
  arm(io, fault, n);
  bool struck = false;
  Model model = left.model;
  {
    auto volume = open_on(io, kUsual);
    struck = io.struck();
    if (!volume) {
      CHECK(struck);
      CHECK(unclear(volume.error(), fault) == "");
      if (fault.for_ever) io.heal();
      volume = open_on(io, kUsual);
    }
    INFO((volume ? "" : volume.error().message()));
    REQUIRE(volume);
    CHECK(difference(*volume, model) == "");
    io.heal();
    write_both(*volume, model, "next", 20);
  }
  CHECK(difference_reopened(*disk, model) == "");
  return struck;
}

}  // namespace

TEST_CASE("whichever I/O call of opening fails, nothing is lost, and it opens next time", "[store][faults]") {
  std::uint64_t tried = 0;
  for (const Left& left : all_left()) {
    tried += try_all(left.name, [&](const IoFault& fault, std::uint64_t n) { return opens_in_spite(left, fault, n); });
  }
  WARN(tried << " failures");
}

TEST_CASE("whichever I/O call of closing fails, nothing is lost", "[store][faults]") {
  const Left left = left_by("closed", kUsual, false);
  try_all("closing", [&](const IoFault& fault, std::uint64_t n) {
    const auto disk = left.disk->crash_image(1, Damage::all_kept);
    FaultIo io(*disk);
    Model model = left.model;
    bool is_first = true;
    {
      auto volume = open_on(io, kUsual);
      REQUIRE(volume);
      write_both(*volume, model, "next", 20);
      Volume later = volume->with(Durability::async);
      write_both(later, model, "not durable yet", 20);
      arm(io, fault, n);
      is_first = !io.struck();
    }
    CHECK(is_first);
    CHECK(difference_reopened(*disk, model) == "");
    return io.struck();
  });
}

TEST_CASE("whichever I/O call of a reader fails, it sees what it saw, and more the next time", "[store][faults]") {
  for (const Left& left : all_left()) {
    if (!left.is_store) continue;
    try_all(left.name + ", opened by a reader", [&](const IoFault& fault, std::uint64_t n) {
      FaultIo io(*left.disk);
      arm(io, fault, n);
      auto volume = open_on(io, kUsual, true);
      const bool struck = io.struck();
      if (!volume) {
        CHECK(unclear(volume.error(), fault) == "");
        io.heal();
        volume = open_on(io, kUsual, true);
      }
      REQUIRE(volume);
      CHECK(difference(*volume, left.model) == "");
      return struck;
    });
  }
}

TEST_CASE("whichever I/O call of refresh() fails, the next one succeeds", "[store][faults]") {
  for (const std::uint64_t segment_bytes : {kUsual, std::uint64_t{64}}) {
    const Left left = left_by("closed", segment_bytes, false);
    try_all("refresh", [&](const IoFault& fault, std::uint64_t n) {
      const auto disk = left.disk->crash_image(1, Damage::all_kept);
      FaultIo io(*disk);
      auto reader = open_on(io, kUsual, true);
      REQUIRE(reader);
      auto writer = open_on(*disk, segment_bytes);
      REQUIRE(writer);
      Model model = left.model;
      write_both(*writer, model, "later", 5000);
      write_both(*writer, model, "last", 10);
      arm(io, fault, n);
      const auto refreshed = reader->refresh();
      const bool struck = io.struck();
      if (!refreshed) {
        CHECK(unclear(refreshed.error(), fault) == "");
        CHECK(difference(*reader, left.model) == "");
        io.heal();
        REQUIRE(reader->refresh());
      }
      CHECK(difference(*reader, model) == "");
      return struck;
    });
  }
}

TEST_CASE("whichever I/O call of a check fails, that is no damage", "[store][faults]") {
  const Left left = left_by("killed, in segments", 64, true);
  try_all("check", [&](const IoFault& fault, std::uint64_t n) {
    FaultIo io(*left.disk);
    arm(io, fault, n);
    const auto report = store::check(io, kFaultStore, {});
    const bool struck = io.struck();
    if (!report) {
      CHECK(unclear(report.error(), fault) == "");
    } else {
      // What could not be read is told of by its own error.
      for (const Error& damage : report->damage) CHECK(unclear(damage, fault) == "");
      if (!struck) CHECK(report->damage.empty());
    }
    return struck;
  });
}
