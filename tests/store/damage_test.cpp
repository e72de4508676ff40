#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "store/stores.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Bytes = std::vector<std::byte>;

/// A store of five files, one commit each, that was not closed: its segment, and where each commit ended.
struct Killed {
  std::string path;
  std::string segment;
  Bytes bytes;                    // of the segment
  std::vector<std::size_t> ends;  // of the commits, before the first one too
};

Killed make_killed(const TempDir& directory) {
  Killed killed{directory.path("killed"), "", {}, {}};
  const std::string live = directory.path("live");
  Volume volume = open_store_at(live);
  killed.ends.push_back(used(read_host_file(segment_of(live))));
  for (int i = 0; i < 5; ++i) {
    must(volume.write("f" + std::to_string(i), bytes_of(std::string(static_cast<std::size_t>(100 * i), 'x'))));
    killed.ends.push_back(used(read_host_file(segment_of(live))));
  }
  copy_killed(live, killed.path);
  killed.segment = segment_of(killed.path);
  killed.bytes = read_host_file(killed.segment);
  return killed;
}

/// The store with another segment; as many of its files as are there, in order. Nothing when it does not open.
std::optional<std::size_t> files_with(const Killed& killed, const Bytes& segment, const std::string& at,
                                      std::optional<Error>* error = nullptr) {
  copy_killed(killed.path, at);
  write_host_file(at + "/" + std::filesystem::path(killed.segment).filename().string(), segment);
  const auto volume = Volume::open(at);
  if (!volume) {
    if (error != nullptr) *error = volume.error();
    return std::nullopt;
  }
  std::size_t count = 0;
  while (*volume->exists("f" + std::to_string(count))) ++count;
  CHECK(volume->totals()->entries == count);
  for (std::size_t i = 0; i < count; ++i)
    CHECK(read_text(*volume, "f" + std::to_string(i)) == std::string(100 * i, 'x'));
  return count;
}

}  // namespace

TEST_CASE("a journal that is cut off anywhere holds the commits before that, or is said to be corrupt", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  for (std::size_t length = 0; length <= killed.ends.back() + 16; ++length) {
    const Bytes cut(killed.bytes.begin(), killed.bytes.begin() + static_cast<std::ptrdiff_t>(length));
    std::optional<Error> error;
    const auto files = files_with(killed, cut, directory.path("cut"), &error);
    if (length < 64) {
      CHECK_FALSE(files);
      CHECK(error->code() == ErrorCode::corrupt);
      continue;
    }
    const auto whole = std::ranges::upper_bound(killed.ends, length) - killed.ends.begin() - 1;
    CHECK(files == static_cast<std::size_t>(whole));
  }
}

TEST_CASE("what stands behind the last commit is not taken for one", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  const std::size_t end = killed.ends.back();
  std::mt19937_64 random(test_seed());
  const auto with_tail = [&](const Bytes& tail, std::size_t at) {
    Bytes bytes = killed.bytes;
    bytes.resize(std::max(bytes.size(), at + tail.size()));
    std::ranges::copy(tail, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return files_with(killed, bytes, directory.path("tail"));
  };
  Bytes noise(5000);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  CHECK(with_tail(noise, end) == 5);         // random bytes
  CHECK(with_tail(noise, end + 4096) == 5);  // zeros, then data
  const Bytes group(killed.bytes.begin() + static_cast<std::ptrdiff_t>(killed.ends[3]),
                    killed.bytes.begin() + static_cast<std::ptrdiff_t>(killed.ends[4]));
  CHECK(with_tail(group, end) == 5);  // a copied group
  const Bytes all(killed.bytes.begin() + 64, killed.bytes.begin() + static_cast<std::ptrdiff_t>(end));
  CHECK(with_tail(all, end) == 5);
}

TEST_CASE("damage before what is known durable is corruption, damage of the last commit is its loss", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  for (std::size_t commit = 0; commit < 5; ++commit) {
    for (std::size_t at = killed.ends[commit]; at < killed.ends[commit] + 32; ++at) {
      Bytes bytes = killed.bytes;
      bytes[at] ^= std::byte{16};
      std::optional<Error> error;
      const auto files = files_with(killed, bytes, directory.path("flipped"), &error);
      if (commit == 4) {
        CHECK(files == 4);
      } else {
        REQUIRE_FALSE(files);
        CHECK(error->code() == ErrorCode::corrupt);
        CHECK(error->offset() >= killed.ends[commit]);
        CHECK(error->path().ends_with(std::filesystem::path(killed.segment).filename().string()));
      }
    }
  }
}

TEST_CASE("what recovery refuses it does not change", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  Bytes bytes = killed.bytes;
  bytes[killed.ends[1]] ^= std::byte{1};
  write_host_file(killed.segment, bytes);
  const auto manifest = read_host_file(killed.path + "/CURRENT");
  CHECK_FALSE(Volume::open(killed.path));
  CHECK(read_host_file(killed.segment) == bytes);
  CHECK(read_host_file(killed.path + "/CURRENT") == manifest);
  CHECK(segment_of(killed.path) == killed.segment);
}

TEST_CASE("a segment that is missing, cut off or another's is corruption or no entry, by name", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  {
    const Volume carried = open_store_at(killed.path);
  }  // into a second segment
  REQUIRE(std::distance(std::filesystem::directory_iterator(killed.path), {}) == 4);
  const auto code_with = [&](const Bytes& first) {
    const std::string at = directory.path("older");
    copy_killed(killed.path, at);
    write_host_file(at + "/" + std::filesystem::path(killed.segment).filename().string(), first);
    const auto volume = Volume::open(at);
    return volume ? ErrorCode{} : volume.error().code();
  };
  CHECK(code_with(killed.bytes) == ErrorCode{});
  Bytes cut = killed.bytes;
  cut.resize(killed.ends[2]);
  CHECK(code_with(cut) == ErrorCode::corrupt);
  CHECK(code_with({}) == ErrorCode::corrupt);
  CHECK(code_with(Bytes(4096)) == ErrorCode::corrupt);
  const std::string at = directory.path("older");
  copy_killed(killed.path, at);
  std::filesystem::remove(at + "/" + std::filesystem::path(killed.segment).filename().string());
  const auto missing = Volume::open(at);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code() == ErrorCode::no_entry);
  CHECK(missing.error().path() == at + "/" + std::filesystem::path(killed.segment).filename().string());
}

TEST_CASE("a damaged content is found when it is read, and costs nothing else", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  const std::string large(5000, 'L');
  {
    Volume volume = open_store_at(path);
    must(volume.write("large", bytes_of(large)));
    must(volume.write("small", bytes_of("s")));
  }
  Bytes bytes = read_host_file(segment_of(path));
  const auto at = std::search_n(bytes.begin(), bytes.end(), 100, std::byte{'L'});
  *at = std::byte{'l'};
  write_host_file(segment_of(path), bytes);
  Volume volume = open_store_at(path);
  const auto damaged = volume.open_file("large")->read_all();
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code() == ErrorCode::corrupt);
  CHECK(read_text(volume, "small") == "s");
  must(volume.write("large", bytes_of("new")));
  CHECK(read_text(volume, "large") == "new");
}
