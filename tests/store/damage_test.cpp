#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "log/file_header.h"
#include "log/group.h"
#include "packfs/store.h"
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

TEST_CASE("no damaged byte before what is known durable takes commits away, be it of padding", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  const std::string at = directory.path("flipped");
  const std::string segment = at + "/" + std::filesystem::path(killed.segment).filename().string();
  for (std::size_t byte = killed.ends[1]; byte < killed.ends[3]; ++byte) {
    INFO(byte);
    copy_killed(killed.path, at);
    flip(segment, byte);
    CHECK(check_store(at)->damages == 1);
    const auto volume = Volume::open(at);
    if (volume) CHECK(volume->totals()->entries == 5);  // of a content
    if (!volume) CHECK(volume.error().code() == ErrorCode::corrupt);
    if (volume || byte % 8 == 0) continue;
    const auto repaired = repair_store(at);
    REQUIRE(repaired);
    CHECK(repaired->changed);
    CHECK(repaired->dropped_commits > 0);
  }
}

TEST_CASE("what recovery refuses it does not change", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  Bytes bytes = killed.bytes;
  bytes[killed.ends[1]] ^= std::byte{1};
  write_host_file(killed.segment, bytes);
  const auto manifest = read_host_file(killed.path + "/CURRENT");
  const std::string left = killed.path + "/segment-0000000000000001";
  write_host_file(left, {});
  write_host_file(killed.path + "/CURRENT.new", bytes_of("half"));
  CHECK_FALSE(Volume::open(killed.path));
  CHECK(read_host_file(killed.segment) == bytes);
  CHECK(read_host_file(killed.path + "/CURRENT") == manifest);
  CHECK(text_of(read_host_file(killed.path + "/CURRENT.new")) == "half");
  CHECK(std::filesystem::remove(left));
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

TEST_CASE("files that crashes leave beside a store are removed, what may hold something is not", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  const std::string at = directory.path("store");
  const auto segment = [&](const std::string& digits) {
    return at + "/segment-" + std::string(16 - digits.size(), '0') + digits;
  };
  copy_killed(killed.path, at);
  const auto bytes_with = [](std::uint64_t id, std::uint64_t previous) {
    const auto header = log::encode_file_header({.segment_id = id, .previous_segment = previous, .previous_cut = 64});
    Bytes bytes(header.begin(), header.end());
    bytes.resize(4096);
    return bytes;
  };
  const std::uint64_t named = *store::segment_id_of(std::filesystem::path(killed.segment).filename().string());
  write_host_file(segment("1"), {});
  write_host_file(segment("2"), Bytes(65536));
  write_host_file(segment("3"), bytes_with(3, named));
  Bytes torn = bytes_with(4, named);
  torn[40] ^= std::byte{1};
  write_host_file(segment("4"), torn);
  write_host_file(at + "/CURRENT.new", bytes_of("half"));
  // Another store's, and one whose header is gone.
  write_host_file(segment("5"), killed.bytes);
  const Volume other = open_store_at(directory.path("other"));
  must(Volume(other).write("x", bytes_of("x")));
  must(Volume(other).write("y", bytes_of("y")));
  const std::string others = segment_of(directory.path("other"));
  const std::string kept = at + "/" + std::filesystem::path(others).filename().string();
  Bytes headless = read_host_file(others);
  headless[20] ^= std::byte{1};
  write_host_file(kept, headless);
  CHECK(open_store_at(at).totals()->entries == 5);
  for (const char* digits : {"1", "2", "3", "4", "5"}) CHECK_FALSE(std::filesystem::exists(segment(digits)));
  CHECK_FALSE(std::filesystem::exists(at + "/CURRENT.new"));
  CHECK(read_host_file(kept) == headless);
}

TEST_CASE("a directory that held a store is not made a new one, whatever of it is lost", "[store]") {
  const TempDir directory;
  const Killed killed = make_killed(directory);
  std::filesystem::remove(killed.path + "/CURRENT");
  Bytes bytes = killed.bytes;
  SECTION("the manifest") {}
  SECTION("the segment's header too") { bytes[20] ^= std::byte{1}; }
  SECTION("the first record too") { std::fill_n(bytes.begin(), 100, std::byte{0}); }
  write_host_file(killed.segment, bytes);
  const auto volume = Volume::open(killed.path);
  REQUIRE_FALSE(volume);
  CHECK(volume.error().code() == ErrorCode::corrupt);
  CHECK(volume.error().path() == killed.segment);
  CHECK(read_host_file(killed.segment) == bytes);
  CHECK_FALSE(std::filesystem::exists(killed.path + "/CURRENT"));
}

TEST_CASE("an older manifest that was put back is found out, and no later commit is lost", "[store]") {
  const TempDir directory;
  const std::string path = directory.path("store");
  StoreOptions options;
  options.segment_bytes = 200;
  Bytes older;
  {
    auto volume = Volume::open(path, options);
    REQUIRE(volume);
    must(volume->write("0", bytes_of("0")));
    older = read_host_file(path + "/CURRENT");
    for (int i = 1; i < 8; ++i) must(volume->write(std::to_string(i), bytes_of("x")));
  }
  const auto newer = read_host_file(path + "/CURRENT");
  REQUIRE(newer != older);
  write_host_file(path + "/CURRENT", older);
  const auto volume = Volume::open(path);
  REQUIRE_FALSE(volume);
  CHECK(volume.error().code() == ErrorCode::corrupt);
  CHECK(volume.error().message().find("later commits") != std::string::npos);
  CHECK(check_store(path)->damages == 1);
  if (GENERATE(false, true)) {
    write_host_file(path + "/CURRENT", newer);
  } else {
    const auto repaired = repair_store(path);
    REQUIRE(repaired);
    CHECK(repaired->changed);
    CHECK(repaired->dropped_commits == 0);
  }
  CHECK(open_store_at(path).totals()->entries == 8);
  CHECK(check_store(path)->damages == 0);
}

TEST_CASE("a journal that gives a number twice is corrupt, and stays as it was", "[store]") {
  const TempDir directory;
  const bool is_durable = GENERATE(true, false);
  const std::string path = directory.path("store");
  {
    const std::string live = directory.path("live");
    Volume volume = open_store_at(live);
    must(volume.write("a", bytes_of("x")));
    must(volume.link("a", "b"));
    must(volume.write("c", bytes_of("y")));
    copy_killed(live, path);
  }
  const std::string segment = segment_of(path);
  const Bytes bytes = read_host_file(segment);
  const auto header = log::decode_file_header(bytes);
  REQUIRE(header);
  const std::size_t end = used(bytes);
  using Operation = tree::Operation;
  const Operation link{.kind = Operation::Kind::link, .path = "d", .other = "c"};
  // Of the entries before: the root, a and c; and the one link id of a and b.
  for (const auto& [inode, link_id] : {std::pair(3U, 2U), std::pair(4U, 1U), std::pair(4U, 2U)}) {
    log::Group group;
    group.begin(header->segment_id, end);
    must(group.add(link, {tree::Stamp{4, {}, 0, 0}, inode, link_id}));
    must(group.close(4, end));
    log::Group mark;  // with it the group counts as durable; without it belongs to the tail
    mark.begin(header->segment_id, group.end());
    if (is_durable) must(mark.mark_closed(5));
    Bytes with = bytes;
    std::ranges::copy(mark.bytes(),
                      std::ranges::copy(group.bytes(), with.begin() + static_cast<std::ptrdiff_t>(end)).out);
    const std::string at = directory.path(std::to_string(inode) + std::to_string(link_id));
    copy_killed(path, at);
    write_host_file(segment_of(at), with);
    const auto manifest = read_host_file(at + "/CURRENT");
    const auto volume = Volume::open(at);
    INFO((volume ? "" : volume.error().message()));
    if (inode == 4 && link_id == 2) {
      REQUIRE(volume);
      CHECK(volume->stat("d")->nlink == 2);
      continue;
    }
    REQUIRE(!volume);
    CHECK(volume.error().code() == ErrorCode::corrupt);
    CHECK(volume.error().path() == segment_of(at));  // the one that there was
    CHECK(volume.error().offset() == end);
    CHECK(read_host_file(segment_of(at)) == with);
    CHECK(read_host_file(at + "/CURRENT") == manifest);
  }
}
