#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using packfs::testing::bytes_of;
using packfs::testing::must;
using packfs::testing::text_of;

namespace {

std::vector<std::string> names(Listing listing) {
  std::vector<std::string> found;
  for (const Result<Entry>& entry : listing) {
    found.push_back(entry ? std::string(entry->name()) : "error: " + entry.error().message());
  }
  return found;
}

View numbered(const packfs::testing::TempDir& dir, int count, ReadMode mode = ReadMode::mmap) {
  packfs::testing::build_pack(dir.path("p"), [&](PackBuilder& pack) {
    for (int i = count; i-- > 0;) {
      const std::string name = std::to_string(100000 + i);
      must(pack.add_file(name, {}, bytes_of(name)));
    }
    must(pack.add_directory("empty", {}));
  });
  return packfs::testing::open_pack(dir.path("p"), mode).root();
}

}  // namespace

TEST_CASE("a listing yields all names in byte order, over many pages", "[tree][view]") {
  const auto mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const auto count = GENERATE(0, 1, 31, 32, 33, 2000);
  const packfs::testing::TempDir dir;
  const auto found = names(numbered(dir, count, mode).list());
  REQUIRE(found.size() == static_cast<std::size_t>(count) + 1);
  for (int i = 0; i < count; ++i) CHECK(found[static_cast<std::size_t>(i)] == std::to_string(100000 + i));
  CHECK(found.back() == "empty");
}

TEST_CASE("a listing resumes from a name, there or not", "[tree][view]") {
  const packfs::testing::TempDir dir;
  const View view = numbered(dir, 2000);
  for (int i = 0; i < 2000; i += 37) {
    const std::string name = std::to_string(100000 + i);
    CHECK(names(view.list("", name)).front() == name);
    CHECK(names(view.list("", name)).size() == static_cast<std::size_t>(2001 - i));
    CHECK(names(view.list("", name + "a")).size() == static_cast<std::size_t>(2000 - i));
  }
  CHECK(names(view.list("", "a")) == std::vector<std::string>{"empty"});
  CHECK(names(view.list("", "zzz")).empty());
}

TEST_CASE("a listing that cannot be is one error", "[tree][view]") {
  const packfs::testing::TempDir dir;
  const View view = numbered(dir, 1);
  for (const auto& [path, code] : std::vector<std::pair<std::string, ErrorCode>>{
           {"missing", ErrorCode::no_entry}, {"100000", ErrorCode::not_a_directory}, {"..", ErrorCode::escapes_root}}) {
    int elements = 0;
    Listing listing = view.list(path);
    for (const Result<Entry>& entry : listing) {
      ++elements;
      REQUIRE_FALSE(entry.has_value());
      CHECK(entry.error().code() == code);
    }
    CHECK(elements == 1);
  }
  CHECK(names(view.list("empty")).empty());
}

TEST_CASE("a listing can be moved while it is walked", "[tree][view]") {
  const packfs::testing::TempDir dir;
  const View view = numbered(dir, 100);
  Listing first = view.list();
  auto it = first.begin();
  CHECK((*it)->name() == "100000");
  Listing second = std::move(first);
  const auto rest = names(std::move(second));
  CHECK(rest.front() == "100001");
}

TEST_CASE("entries tell their attributes and open their files", "[tree][view]") {
  const packfs::testing::TempDir dir;
  const View view = numbered(dir, 3);
  Listing listing = view.list();
  for (const Result<Entry>& entry : listing) {
    REQUIRE(entry.has_value());
    CHECK(entry->stat()->type == entry->type());
    if (entry->type() == FileType::directory) {
      CHECK(entry->open().error().code() == ErrorCode::is_a_directory);
    } else {
      CHECK(text_of(*entry->open()->read_all()) == entry->name());
    }
  }
}

TEST_CASE("a file outlives the view and the pack it came from", "[tree][file]") {
  const auto mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  const packfs::testing::TempDir dir;
  Result<File> file = [&] { return numbered(dir, 3, mode).open("100001"); }();
  REQUIRE(file.has_value());
  CHECK(text_of(*file->bytes()) == "100001");
  const auto span = *file->bytes();
  File moved = std::move(*file);
  CHECK(text_of(span) == "100001");
  CHECK(moved.bytes()->data() == span.data());
  CHECK(moved.size() == 6);
  CHECK(moved.stat()->size == 6);
}

TEST_CASE("a read past the end gives what there is", "[tree][file]") {
  const packfs::testing::TempDir dir;
  const View view = numbered(dir, 1);
  std::string buffer(10, 'x');
  const auto target = std::as_writable_bytes(std::span(buffer));
  CHECK(*view.read("100000", target) == 6);
  CHECK(buffer == "100000xxxx");
  CHECK(*view.read("100000", target, 4) == 2);
  CHECK(*view.read("100000", target, 6) == 0);
  CHECK(*view.read("100000", target, ~std::uint64_t{0}) == 0);
  CHECK(*view.read("100000", {}) == 0);
}

TEST_CASE("totals and link counts are those of the subtree", "[tree][view]") {
  const packfs::testing::TempDir dir;
  packfs::testing::build_pack(dir.path("p"), [](PackBuilder& pack) {
    must(pack.make_parents("a/b", {}));
    must(pack.add_file("a/b/one", {}, bytes_of("12345")));
    must(pack.add_link("a/two", "a/b/one"));
    must(pack.add_link("three", "a/two"));
    must(pack.add_file("a/other", {}, bytes_of("12")));
  });
  const View view = packfs::testing::open_pack(dir.path("p")).root();
  CHECK(view.totals()->entries == 6);
  CHECK(view.totals()->bytes == 17);
  CHECK(view.totals()->linked_names == 3);
  CHECK(view.totals("a")->entries == 4);
  CHECK(view.totals("a/b")->bytes == 5);
  CHECK(view.totals("three").error().code() == ErrorCode::not_a_directory);
  CHECK(view.stat("three")->nlink == 3);
  CHECK(view.stat("three")->inode == view.stat("a/b/one")->inode);
  CHECK(view.stat("a/b/one")->link_id == view.stat("three")->link_id);
  CHECK(view.stat("a/other")->nlink == 1);
  CHECK(view.stat("a/other")->link_id == 0);
  CHECK(view.stat("")->nlink == 3);
  CHECK(view.stat("a/b")->nlink == 2);
}
