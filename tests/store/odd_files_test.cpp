#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "packfs/store.h"
#include "store/stores.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

void make_fifo(const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }

/// A store with one file.
std::string make_store(const TempDir& directory) {
  std::string path = directory.path("store");
  Volume volume = open_store_at(path);
  must(volume.write("a", bytes_of("x")));
  return path;
}

}  // namespace

TEST_CASE("a FIFO in the place of a store's file is said to be one, and not waited for", "[store]") {
  const TempDir directory;
  const std::string path = make_store(directory);
  const std::string file = GENERATE(true, false) ? path + "/CURRENT" : segment_of(path);
  std::filesystem::remove(file);
  make_fifo(file);
  for (const bool read_only : {false, true}) {
    StoreOptions options;
    options.read_only = read_only;
    const auto volume = Volume::open(path, options);
    REQUIRE_FALSE(volume);
    CHECK(volume.error().code() == ErrorCode::corrupt);
    CHECK(volume.error().path() == file);
  }
  const auto report = check_store(path);
  REQUIRE(report);
  CHECK(report->damages == 1);
}

TEST_CASE("whatever stands in the place of a store's file is said to be no file, and repaired", "[store]") {
  const TempDir directory;
  const std::string path = make_store(directory);
  const bool is_manifest = GENERATE(true, false);
  const std::string file = is_manifest ? path + "/CURRENT" : segment_of(path);
  std::filesystem::remove(file);
  SECTION("a directory") { std::filesystem::create_directory(file); }
  SECTION("a symlink") { REQUIRE(::symlink("LOCK", file.c_str()) == 0); }
  SECTION("a dangling symlink") { REQUIRE(::symlink("nowhere", file.c_str()) == 0); }
  SECTION("a FIFO") { make_fifo(file); }
  SECTION("a socket") { REQUIRE(::mknod(file.c_str(), S_IFSOCK | 0600, 0) == 0); }
  const auto type = std::filesystem::symlink_status(file).type();
  const auto volume = Volume::open(path);
  REQUIRE_FALSE(volume);
  CHECK(volume.error().message() == file + ": corrupt (not a regular file)");
  CHECK(check_store(path)->damages == 1);
  CHECK(std::filesystem::symlink_status(file).type() == type);
  const auto report = repair_store(path);
  INFO((report ? "" : report.error().message()));
  REQUIRE(report);
  REQUIRE(report->set_aside.size() == 1);
  CHECK(std::filesystem::symlink_status(report->set_aside.front()).type() == type);
  CHECK(open_store_at(path).totals()->entries == (is_manifest ? 1 : 0));
  CHECK(check_store(path)->damages == 0);
}

TEST_CASE("what has a segment's name and is no file is left alone", "[store]") {
  const TempDir directory;
  const std::string path = make_store(directory);
  const std::string fifo = path + "/segment-00000000000000aa";
  const std::string link = path + "/segment-00000000000000ab";
  const std::string below = path + "/segment-00000000000000ac";
  make_fifo(fifo);
  REQUIRE(::symlink("CURRENT", link.c_str()) == 0);
  std::filesystem::create_directory(below);
  CHECK(read_text(open_store_at(path), "a") == "x");
  CHECK(check_store(path)->damages == 0);
  CHECK_FALSE(repair_store(path)->changed);
  std::filesystem::remove(path + "/CURRENT");
  CHECK(Volume::open(path).error().code() == ErrorCode::corrupt);
  REQUIRE(repair_store(path));
  CHECK(read_text(open_store_at(path), "a") == "x");
  for (const std::string& name : {fifo, link, below})
    CHECK(std::filesystem::symlink_status(name).type() != std::filesystem::file_type::not_found);
}
