// A host tree that is taken in is one commit, whatever fails.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "packfs/host_tree.h"
#include "packfs/volume.h"
#include "store/check.h"
#include "store/store.h"
#include "stress/sanitized.h"
#include "stress/state_text.h"
#include "support/crash_disk.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

constexpr const char* kInto = "/taken in";

void make_host_tree(const std::string& at, std::size_t large_bytes) {
  std::filesystem::create_directories(at + "/d/e");
  write_host_file(at + "/d/small", bytes_of("content"));
  write_host_file(at + "/d/e/sparse", std::vector<std::byte>(20'000));
  for (int i = 0; i < 5; ++i) write_host_file(at + "/l" + std::to_string(i), bytes_of(std::string(large_bytes, 'l')));
  std::filesystem::create_hard_link(at + "/d/small", at + "/again");
  std::filesystem::create_symlink("d/small", at + "/link");
}

Result<Volume> open_taking(base::Io& io) { return store::open(io, kInto, {}); }

/// A store that holds something in the place of what comes in.
std::unique_ptr<CrashDisk> disk_before() {
  CrashDisk disk;
  {
    auto volume = open_taking(disk);
    REQUIRE(volume);
    must(volume->make_directories("in/d"));
    must(volume->write("in/d/small", bytes_of("there before")));
    must(volume->write("outside", bytes_of("stays")));
  }
  return disk.crash_image(1, Damage::all_kept);
}

std::string text_on(base::Io& disk) {
  const auto volume = open_taking(disk);
  if (!volume) return volume.error().message();
  const std::string text = stress::state_text(volume->snapshot());
  const auto report = store::check(disk, kInto, {});
  if (!report) return report.error().message();
  return report->damage.empty() ? text : report->damage.front().message();
}

Result<std::uint64_t> take_in(Volume& volume, const std::string& source) {
  ImportReport report;
  const std::vector<std::string> sources{source};
  return import_tree(sources, volume, "in", {.threads = 1}, report);
}

struct Known {
  TempDir host;
  std::unique_ptr<CrashDisk> disk;
  std::string before;
  std::string after;

  /// Buffered whole, or written piece by piece.
  explicit Known(std::size_t large_bytes) : disk(disk_before()), before(text_on(*disk)) {
    make_host_tree(host.path(), large_bytes);
    const auto whole = disk->crash_image(1, Damage::all_kept);
    {
      auto volume = open_taking(*whole);
      REQUIRE(volume);
      REQUIRE(take_in(*volume, host.path()));
    }
    after = text_on(*whole);
    REQUIRE(after != before);
  }
};

}  // namespace

TEST_CASE("after power loss a host tree was taken in whole or not at all", "[crash][import]") {
  for (const std::size_t large_bytes : {std::size_t{1000}, std::size_t{300'000}}) {
    const Known known(large_bytes);
    bool is_over = false;
    for (std::uint64_t point = 1; !is_over; ++point) {
      const auto disk = known.disk->crash_image(1, Damage::all_kept);
      bool acknowledged = false;
      disk->crash_at(point);
      if (auto volume = open_taking(*disk)) acknowledged = take_in(*volume, known.host.path()).has_value();
      is_over = !disk->crashed();
      if (is_over) disk->crash_at(1);
      for (const Damage damage : kDamages) {
        INFO("died at change " << point << ", damage " << static_cast<int>(damage));
        const std::string found = text_on(*disk->crash_image(point, damage));
        const bool may_be_before = !acknowledged && found == known.before;
        CHECK((found == known.after || may_be_before));
      }
    }
  }
}

TEST_CASE("whichever I/O call fails while a host tree is taken in, all of it is there or nothing", "[crash][import]") {
  for (const std::size_t large_bytes : {std::size_t{1000}, std::size_t{300'000}}) {
    const Known known(large_bytes);
    for (const int error : {EIO, ENOSPC, EMFILE}) {
      for (std::uint64_t n = 1;; ++n) {
        INFO("call " << n << ", error " << error << ", contents of " << large_bytes);
        const auto disk = known.disk->crash_image(1, Damage::all_kept);
        FaultIo io(*disk);
        bool struck = false;
        bool is_in = false;
        {
          auto volume = open_taking(io);
          REQUIRE(volume);
          io.fail({.nth = n}, error);
          const auto taken = take_in(*volume, known.host.path());
          struck = io.struck();
          is_in = taken.has_value();
          CHECK(stress::state_text(volume->snapshot()) == (is_in ? known.after : known.before));
          if (!is_in) {
            CHECK(struck);
            const bool is_clear = taken.error().code() == ErrorCode::poisoned || taken.error().to_errno() == error;
            CHECK(is_clear);
            CHECK_FALSE(taken.error().path().empty());
          }
        }
        const std::string found = text_on(*disk);
        CHECK((found == known.after || (!is_in && found == known.before)));
        if (!struck) break;
      }
    }
  }
}
