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

}  // namespace

TEST_CASE("the directory that a store is made in is there after power loss", "[crash]") {
  CrashDisk disk;
  auto volume = open_on(disk);
  REQUIRE(volume);
  must(volume->write("acknowledged", bytes_of("x")));
  CHECK(names_on(*disk.crash_image(1, Damage::all_lost)) == "acknowledged ");
}
