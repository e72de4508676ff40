// A segment that is left while somebody else syncs it: of two syncs of a file one alone is told that a write failed.
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <string>
#include <thread>

#include "packfs/volume.h"
#include "store/store.h"
#include "support/crash_disk.h"
#include "support/fault_io.h"
#include "support/packs.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr const char* kRolled = "/rolled";

Result<Volume> open_rolling(base::Io& io) {
  StoreOptions options;
  options.segment_bytes = 2000;
  return store::open(io, kRolled, options);
}

/// Until `reached`, or until it has had every chance: what must not happen is waited for no longer than this.
template <class Reached>
void give_way_until(Reached reached) {
  for (int i = 0; i < 20'000 && !reached(); ++i) std::this_thread::yield();
}

/// As fdatasync does when the disk fails: the file's bytes are lost, and whoever asks next is told that all is well.
void lose_what_is_not_synced(CrashDisk& disk, int fd) {
  disk.fail(disk.calls() + 1, EIO, CrashDisk::Times::once);
  CHECK(disk.fdatasync(fd) == -EIO);
}

int last_written(const FaultIo& io) {
  int fd = -1;
  for (const auto& call : io.log()) {
    if (call.name == "pwrite") fd = call.fd;
  }
  return fd;
}

/// One writer syncs its commit, which makes the segment long enough; another comes meanwhile and leaves it. Of their
/// two syncs of the old one the `failing`-th is told that the disk failed. What each was told.
struct Told {
  bool first = false;
  bool second = false;
};
Told write_both(FaultIo& io, CrashDisk& disk, Volume& volume, int failing) {
  const int old = last_written(io);
  Told told;
  std::atomic<bool> is_syncing = false;
  io.clear_log();
  io.fail({.call = "fdatasync", .nth = static_cast<std::uint64_t>(failing)}, EIO);
  io.before({.call = "fdatasync", .nth = static_cast<std::uint64_t>(failing)},
            [&, old] { lose_what_is_not_synced(disk, old); });
  io.before({.call = "fdatasync", .nth = 1}, [&] {
    is_syncing = true;
    give_way_until([&] { return io.count("renameat2") > 0 || (failing == 2 && io.count("fdatasync") > 0); });
  });
  std::thread first([&] {
    told.first = volume.write("first", bytes_of(std::string(4000, 'x'))).has_value();
    is_syncing = true;  // it should have been before
  });
  while (!is_syncing) std::this_thread::yield();
  std::thread second([&] { told.second = volume.write("second", bytes_of("x")).has_value(); });
  first.join();
  second.join();
  return told;
}

}  // namespace

TEST_CASE("a segment is not left while a sync of it fails beside", "[crash][threads]") {
  for (const int failing : {2, 1}) {
    INFO("the sync that fails is number " << failing);
    CrashDisk disk;
    must(open_rolling(disk)->write("closed", bytes_of("in order")));
    FaultIo io(disk);
    auto volume = open_rolling(io);
    REQUIRE(volume);
    must(volume->write("before", bytes_of("x")));
    const Told told = write_both(io, disk, *volume, failing);
    CHECK_FALSE((told.first && told.second));
    const auto found = disk.crash_image(1, Damage::all_lost);
    const auto after = open_rolling(*found);
    INFO((after ? "" : after.error().message()));
    REQUIRE(after);
    CHECK(*after->exists("before"));
    if (told.first) CHECK(*after->exists("first"));
    if (told.second) CHECK(*after->exists("second"));
  }
}
