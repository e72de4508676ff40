#include <sys/resource.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packfs/store.h"
#include "store/small_disk.h"
#include "store/store.h"
#include "store/stores.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

std::unique_ptr<SmallDisk> small_disk(SmallDisk::Type type) {
  auto disk = SmallDisk::mount(type);
  if (!disk) WARN("skipped: no " << (type == SmallDisk::Type::tmpfs ? "tmpfs" : "ext4") << " can be mounted here");
  return disk;
}

std::string content_of_file(std::size_t number, std::size_t size) {
  return std::string(size, static_cast<char>('a' + number % 26));
}

/// Files named 0, 1, 2 ... that a state must hold whole.
void check_files(const Snapshot& state, const std::vector<std::size_t>& sizes) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto file = state.open(std::to_string(i));
    const auto bytes = file ? file->read_all() : std::unexpected(file.error());
    if (!bytes || text_of(*bytes) != content_of_file(i, sizes[i])) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(state.totals()->entries == sizes.size());
}

void check_no_space(const Error& error, const std::string& store) {
  INFO(error.message());
  CHECK(error.code() == ErrorCode::no_space);
  CHECK(error.path().starts_with(store));
}

/// Writes until there is no room; what was written is added to `sizes`.
Error fill(Volume& volume, std::vector<std::size_t>& sizes, std::size_t size) {
  for (;;) {
    const auto written = volume.write(std::to_string(sizes.size()), bytes_of(content_of_file(sizes.size(), size)));
    if (!written) return written.error();
    sizes.push_back(size);
  }
}

std::map<std::string, std::vector<std::byte>> files_of(const std::string& directory) {
  std::map<std::string, std::vector<std::byte>> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename() != "LOCK") files[entry.path().filename()] = read_host_file(entry.path());
  }
  return files;
}

/// How long files may get, while it lives.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

constexpr std::array kTypes{SmallDisk::Type::tmpfs, SmallDisk::Type::ext4};

}  // namespace

TEST_CASE("a full disk costs the write at hand, and room makes all well again", "[store][full]") {
  for (const auto type : kTypes) {
    const auto disk = small_disk(type);
    if (!disk) continue;
    const std::string path = disk->path("store");
    std::vector<std::size_t> sizes;
    disk->take_room("ballast", disk->room() - 500'000);
    {
      Volume volume = open_store_at(path);
      for (int i = 0; i < 5; ++i) {
        must(volume.write(std::to_string(i), bytes_of(content_of_file(sizes.size(), 3000))));
        sizes.push_back(3000);
      }
      const Snapshot held = volume.snapshot();
      const std::vector<std::size_t> held_sizes = sizes;
      // Large ones, small ones, then those that a transaction streams.
      for (const std::size_t size : {100'000U, 5000U, 300U, 10U}) check_no_space(fill(volume, sizes, size), path);
      check_files(volume.snapshot(), sizes);
      auto transaction = volume.begin();
      REQUIRE(transaction);
      std::optional<Error> full;
      for (int i = 0; i < 30 && !full; ++i) {
        if (auto written = transaction->write("t" + std::to_string(i), bytes_of(content_of_file(0, 90'000)));
            !written) {
          full = written.error();
        }
      }
      if (!full) full = transaction->commit().error();
      check_no_space(*full, path);
      transaction->drop();
      check_files(volume.snapshot(), sizes);
      check_files(held, held_sizes);
      std::filesystem::remove(disk->path("ballast"));
      for (const std::size_t size : {5000U, 200'000U, 10U}) {
        must(volume.write(std::to_string(sizes.size()), bytes_of(content_of_file(sizes.size(), size))));
        sizes.push_back(size);
      }
      check_files(volume.snapshot(), sizes);
      check_files(held, held_sizes);
    }
    check_files(open_store_at(path).snapshot(), sizes);
    CHECK(check_store(path)->damage.empty());
  }
}

TEST_CASE("segments that are left on a full disk are left when there is room", "[store][full]") {
  for (const auto type : kTypes) {
    const auto disk = small_disk(type);
    if (!disk) continue;
    const std::string path = disk->path("store");
    StoreOptions options;
    options.segment_bytes = 20'000;
    std::vector<std::size_t> sizes;
    disk->take_room("ballast", disk->room() - 600'000);
    {
      auto volume = Volume::open(path, options);
      REQUIRE(volume);
      for (const std::size_t size : {7000U, 300U}) check_no_space(fill(*volume, sizes, size), path);
      check_files(volume->snapshot(), sizes);
      std::filesystem::remove(disk->path("ballast"));
      const std::size_t before = sizes.size();
      while (sizes.size() < before + 10) {
        must(volume->write(std::to_string(sizes.size()), bytes_of(content_of_file(sizes.size(), 7000))));
        sizes.push_back(7000);
      }
      check_files(volume->snapshot(), sizes);
    }
    CHECK(segments_of(path).size() > 5);
    check_files(open_store_at(path).snapshot(), sizes);
    CHECK(check_store(path)->damage.empty());
  }
}

TEST_CASE("what cannot be recovered for want of room stays as it is, and is recovered when there is some",
          "[store][full]") {
  for (const auto type : kTypes) {
    const auto disk = small_disk(type);
    if (!disk) continue;
    const std::string path = disk->path("killed");
    std::vector<std::size_t> sizes;
    {
      const std::string live = disk->path("live");
      Volume volume = open_store_at(live);
      for (const std::size_t size : {10U, 3000U, 70'000U, 50'000U}) {
        must(volume.write(std::to_string(sizes.size()), bytes_of(content_of_file(sizes.size(), size))));
        sizes.push_back(size);
      }
      copy_killed(live, path);
    }
    std::filesystem::remove_all(disk->path("live"));
    const auto before = files_of(path);
    bool is_open = false;
    std::size_t refused = 0;
    for (std::uint64_t room = 0; !is_open; room += 8192) {
      INFO("room for " << room << " bytes");
      disk->take_room("ballast", room);
      {
        const auto volume = Volume::open(path);
        is_open = volume.has_value();
        if (is_open) {
          check_files(volume->snapshot(), sizes);
        } else {
          ++refused;
          check_no_space(volume.error(), path);
        }
      }
      if (!is_open) CHECK((files_of(path) == before));
      std::filesystem::remove(disk->path("ballast"));
      REQUIRE(room < 1'000'000);
    }
    CHECK(refused > 2);
    check_files(open_store_at(path).snapshot(), sizes);
    CHECK(check_store(path)->damage.empty());
  }
}

TEST_CASE("a limit of the size of files, or a quota, costs the write at hand", "[store][full]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  FaultIo io(base::system_io());
  std::vector<std::size_t> sizes;
  const auto add = [&](Volume& volume, std::size_t size) {
    must(volume.write(std::to_string(sizes.size()), bytes_of(content_of_file(sizes.size(), size))));
    sizes.push_back(size);
  };
  {
    auto volume = store::open(io, path, {});
    REQUIRE(volume);
    add(*volume, 10);
    {
      const SizeLimit limit(300'000);
      std::optional<Error> error;
      for (const std::size_t size : {50'000U, 300U}) {
        error = fill(*volume, sizes, size);
        CHECK(error->code() == ErrorCode::too_large);
        CHECK(error->path() == segment_of(path));
      }
      check_files(volume->snapshot(), sizes);
    }
    add(*volume, 50'000);
    io.fail({.call = "pwrite", .for_ever = true}, EDQUOT);
    const auto refused = volume->write("x", bytes_of("x"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode{EDQUOT});
    CHECK(refused.error().path() == segment_of(path));
    io.heal();
    add(*volume, 10);
  }
  check_files(open_store_at(path).snapshot(), sizes);
  CHECK(check_store(path)->damage.empty());
}
