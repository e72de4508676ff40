#include <fcntl.h>
#include <catch2/catch.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "store/check.h"
#include "store/store.h"
#include "store/stores.h"
#include "support/crash_disk.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

/// A store out of the fuzzer's corpus (tests/fuzz/store_fuzz.cpp says how it is kept) on a disk in memory.
void put_golden(CrashDisk& disk, const std::string& name) {
  disk.mkdirat(AT_FDCWD, "/golden", 0777);
  const auto bytes = read_host_file(std::string(PACKFS_SOURCE_DIR) + "/tests/corpus/store/" + name);
  std::string file = "CURRENT";
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, &bytes[at], sizeof length);
    const std::byte* part = &bytes[at + 4];
    if (at != 0) {
      std::uint64_t id = 0;
      std::memcpy(&id, part + 16, sizeof id);
      file = store::segment_name(id);
    }
    const int fd = disk.openat(AT_FDCWD, ("/golden/" + file).c_str(), O_RDWR | O_CREAT, 0600);
    disk.pwrite(fd, part, length, 0);
    disk.close(fd);
    at += 4 + length;
  }
}

std::string names_of(const Volume& volume) {
  std::string names;
  Listing listing = volume.list();
  for (const auto& entry : listing) names += entry ? std::string(entry->name()) + " " : entry.error().message();
  return names;
}

}  // namespace

TEST_CASE("stores of the first version stay readable", "[store][golden]") {
  const std::vector<std::pair<std::string, std::string>> all{
      {"empty.bin", ""},
      {"transaction.bin", "a c empty l s "},
      {"all_calls.bin", "c m n p s t z "},
      {"killed.bin", "f0 f1 f2 f3 l "},
      {"segments.bin", "d e "},
      {"behind_a_mark.bin", "closed "},
      {"carried.bin", "after large "},
  };
  for (const auto& [name, names] : all) {
    INFO(name);
    CrashDisk disk;
    put_golden(disk, name);
    const auto report = store::check(disk, "/golden", {});
    REQUIRE(report);
    CHECK(report->damage.empty());
    for (const bool read_only : {true, false}) {
      StoreOptions options;
      options.read_only = read_only;
      const auto volume = store::open(disk, "/golden", options);
      INFO((volume ? "" : volume.error().message()));
      REQUIRE(volume);
      CHECK(names_of(*volume) == names);
    }
  }
}
