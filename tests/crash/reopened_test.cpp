// What a store that was opened again after a kill or a crash must not forget, nor remember.
#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "packfs/volume.h"
#include "store/store.h"
#include "support/crash_disk.h"
#include "support/packs.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr const char* kPath = "/store";

Result<Volume> open_on(base::Io& disk, std::uint64_t segment_bytes = std::uint64_t{1} << 20) {
  StoreOptions options;
  options.segment_bytes = segment_bytes;
  return store::open(disk, kPath, options);
}

std::string names_in(const Volume& volume) {
  std::string names;
  Listing listing = volume.list();
  for (const auto& entry : listing) names += entry ? std::string(entry->name()) + " " : entry.error().message();
  return names;
}

std::string names_on(base::Io& disk) {
  const auto volume = open_on(disk);
  return volume ? names_in(*volume) : volume.error().message();
}

/// Dies at the `point`-th change from now on; false when there are fewer.
template <class Call>
bool killed_at(CrashDisk& disk, std::uint64_t point, Call call) {
  disk.crash_at(disk.calls() + point);
  call();
  const bool died = disk.crashed();
  disk.restart();
  return died;
}

}  // namespace

TEST_CASE("the directory that a store is made in is there after power loss", "[crash]") {
  CrashDisk disk;
  auto volume = open_on(disk);
  REQUIRE(volume);
  must(volume->write("acknowledged", bytes_of("x")));
  CHECK(names_on(*disk.crash_image(1, Damage::all_lost)) == "acknowledged ");
}

TEST_CASE("what is acknowledged after a kill, at whichever change, is there after power loss", "[crash]") {
  bool died = true;
  for (std::uint64_t point = 1; died; ++point) {
    INFO("killed at change " << point);
    CrashDisk disk;
    died = killed_at(disk, point, [&] {
      for (int i = 0; i < 3; ++i) {
        // Each in a segment of its own.
        if (auto volume = open_on(disk, 64)) static_cast<void>(volume->write("a" + std::to_string(i), bytes_of("x")));
      }
    });
    auto volume = open_on(disk);
    REQUIRE(volume);
    const std::string before = names_in(*volume);
    must(volume->write("acknowledged", bytes_of("x")));
    const auto lost = disk.crash_image(point, Damage::all_lost);
    CHECK(names_on(*lost) == before + "acknowledged ");
  }
}

TEST_CASE("a commit that was lost with the one before it does not come back behind one of the same length", "[crash]") {
  CrashDisk disk;
  must(open_on(disk)->write("closed", bytes_of("in order")));
  {
    auto volume = open_on(disk);
    REQUIRE(volume);
    Volume later = volume->with(Durability::async);
    must(later.write("lost1", bytes_of("x")));
    must(later.write("lost2", bytes_of("x")));
    disk.crash_at(1);
  }
  // Of the two writes the disk holds the second.
  const auto found = disk.crash_image(1, Damage::newest_kept_oldest_lost);
  {
    auto volume = open_on(*found);
    REQUIRE(volume);
    CHECK(names_in(*volume) == "closed ");
    must(volume->write("kept1", bytes_of("x")));
    found->crash_at(1);
  }
  CHECK(names_on(*found->crash_image(1, Damage::all_lost)) == "closed kept1 ");
}
