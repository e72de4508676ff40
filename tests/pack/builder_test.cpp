#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packfs/packfs.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

/// A builder into a temporary file, and what it built.
struct Building {
  TempDir dir;
  PackBuilder builder = *PackBuilder::create(dir.path("a.pack"));
  Pack finish() {
    must([&]() -> Result<void> {
      if (auto info = builder.finish(); !info) return std::unexpected(info.error());
      return {};
    }());
    return open_pack(dir.path("a.pack"));
  }
};

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode{} : result.error().code();
}

const std::span<const std::byte> kContent = bytes_of("content");

Attributes with_xattrs(std::vector<Xattr> xattrs) {
  return {.mode = 0644, .uid = 0, .gid = 0, .mtime = {}, .xattrs = std::move(xattrs)};
}

}  // namespace

TEST_CASE("paths name the same place however they are written", "[pack][builder]") {
  Building b;
  CHECK(code_of(b.builder.add_directory("/a//b", {})) == ErrorCode::no_entry);
  must(b.builder.add_directory("a/", {}));
  must(b.builder.add_directory("./a/./b", {}));
  must(b.builder.add_file("//a//b//f", {}, kContent));
  must(b.builder.add_file("a/b/g", {}, kContent));
  CHECK(code_of(b.builder.add_file("a/b/f", {}, kContent)) == ErrorCode::exists);
  CHECK(code_of(b.builder.add_directory("a/b/", {})) == ErrorCode::exists);
  CHECK(code_of(b.builder.add_directory("/", {})) == ErrorCode::exists);
  CHECK(code_of(b.builder.add_directory("", {})) == ErrorCode::exists);
  CHECK(code_of(b.builder.add_file(".", {}, kContent)) == ErrorCode::exists);
  const Pack pack = b.finish();
  CHECK(pack.info().entries == 4);
  CHECK(pack.root().stat("a/b/f").has_value());
  CHECK(pack.root().stat("a/b/g").has_value());
}

TEST_CASE("a path that cannot be is refused and nothing is added", "[pack][builder]") {
  Building b;
  must(b.builder.add_directory("d", {}));
  must(b.builder.add_file("d/f", {}, kContent));
  must(b.builder.add_symlink("d/link", {}, "."));
  const auto add = [&](std::string_view path) { return code_of(b.builder.add_file(path, {}, kContent)); };
  CHECK(add("no/f") == ErrorCode::no_entry);
  CHECK(add("no/../f") == ErrorCode::escapes_root);
  CHECK(add("d/f/x") == ErrorCode::not_a_directory);
  CHECK(add("d/link/x") == ErrorCode::not_a_directory);
  CHECK(add("d/x/") == ErrorCode::not_a_directory);
  CHECK(add("..") == ErrorCode::escapes_root);
  CHECK(add("d/..") == ErrorCode::escapes_root);
  CHECK(add("d/.") == ErrorCode::not_a_directory);
  CHECK(add(std::string_view("d/a\0b", 5)) == ErrorCode::invalid);
  CHECK(add("d/" + std::string(256, 'n')) == ErrorCode::name_too_long);
  std::string too_long(1048577, '/');
  too_long.back() = 'x';
  CHECK(add(too_long) == ErrorCode::name_too_long);
  CHECK(add("d/" + std::string(255, 'n')) == ErrorCode{});
  const auto error = b.builder.add_file("no/f", {}, kContent);
  REQUIRE(!error);
  CHECK(error.error().path() == "no/f");
  CHECK(b.finish().info().entries == 4);
}

TEST_CASE("a name is taken whatever came between and whatever kind it is", "[pack][builder]") {
  // Ascending, descending and mixed arrivals go different ways through the table of names.
  const auto order = GENERATE(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}, std::vector<int>{8, 7, 6, 5, 4, 3, 2, 1, 0},
                              std::vector<int>{4, 5, 6, 0, 1, 2, 3, 7, 8}, std::vector<int>{3, 7, 1, 8, 0, 5, 4, 2, 6});
  Building b;
  must(b.builder.add_directory("x", {}));
  for (const int i : order) {
    const std::string name = "x/n" + std::to_string(i);
    if (i % 3 == 0) {
      must(b.builder.add_directory(name, {}));
      must(b.builder.add_file(name + "/n4", {}, kContent));
    } else {
      must(b.builder.add_file(name, {}, kContent));
    }
    CHECK(code_of(b.builder.add_file(name, {}, kContent)) == ErrorCode::exists);
    CHECK(code_of(b.builder.add_symlink(name, {}, "t")) == ErrorCode::exists);
  }
  for (const int i : order) {
    CHECK(code_of(b.builder.add_special("x/n" + std::to_string(i), {}, FileType::fifo)) == ErrorCode::exists);
  }
  const Pack pack = b.finish();
  CHECK(pack.info().entries == 13);
  std::string names;
  auto listing = pack.root().list("x");
  for (const auto& entry : listing) names += entry->name();
  CHECK(names == "n0n1n2n3n4n5n6n7n8");
}

TEST_CASE("missing parents are made only when asked for", "[pack][builder]") {
  Building b;
  must(b.builder.add_directory("a", {.mode = 0700, .uid = 1, .gid = 2, .mtime = {}, .xattrs = {}}));
  must(b.builder.make_parents("a/b/c", {.mode = 0750, .uid = 3, .gid = 4, .mtime = {5, 6}, .xattrs = {}}));
  must(b.builder.make_parents("a/b/c/", {}));
  must(b.builder.make_parents("", {}));
  must(b.builder.add_file("a/b/c/f", {}, kContent));
  CHECK(code_of(b.builder.make_parents("a/b/c/f/d", {})) == ErrorCode::not_a_directory);
  CHECK(code_of(b.builder.make_parents("new/../x", {})) == ErrorCode::escapes_root);
  const Pack pack = b.finish();
  CHECK(pack.root().stat("a")->mode == 0700);
  CHECK(pack.root().stat("a/b")->mode == 0750);
  CHECK(pack.root().stat("a/b/c")->mtime == Time{5, 6});
  CHECK(pack.info().entries == 4);
}

TEST_CASE("links share inode, attributes and content, and count their names", "[pack][builder]") {
  Building b;
  must(b.builder.add_directory("d", {}));
  must(b.builder.add_file("f", with_xattrs({{"user.a", {std::byte{1}}}}), kContent));
  must(b.builder.add_file("alone", {}, kContent));
  must(b.builder.add_symlink("s", {}, "target"));
  must(b.builder.add_special("n", {}, FileType::character_device, 5, 6));
  must(b.builder.add_link("d/f2", "f"));
  must(b.builder.add_link("d/f3", "d/f2"));
  must(b.builder.add_link("d/s2", "s"));
  must(b.builder.add_link("n2", "n"));
  CHECK(code_of(b.builder.add_link("x", "d")) == ErrorCode::not_permitted);
  CHECK(code_of(b.builder.add_link("x", "")) == ErrorCode::not_permitted);
  CHECK(code_of(b.builder.add_link("x", "no")) == ErrorCode::no_entry);
  CHECK(code_of(b.builder.add_link("x", "f/")) == ErrorCode::not_a_directory);
  CHECK(code_of(b.builder.add_link("x", "f/y")) == ErrorCode::not_a_directory);
  CHECK(code_of(b.builder.add_link("f", "n")) == ErrorCode::exists);
  const Pack pack = b.finish();
  const View view = pack.root();
  for (const char* name : {"f", "d/f2", "d/f3"}) {
    const auto stat = view.lstat(name);
    REQUIRE(stat);
    CHECK(stat->nlink == 3);
    CHECK(stat->inode == view.lstat("f")->inode);
    CHECK(stat->link_id == 1);
    CHECK(text_of(*view.open(name)->read_all()) == "content");
    CHECK(view.xattrs(name)->size() == 1);
  }
  CHECK(view.lstat("s")->link_id == 2);
  CHECK(view.readlink("d/s2") == "target");
  CHECK(view.lstat("n2")->device_minor == 6);
  CHECK(view.lstat("alone")->nlink == 1);
  CHECK(view.lstat("alone")->link_id == 0);
  CHECK(pack.info().linked_names == 7);
  CHECK(view.totals("d")->linked_names == 3);
}

TEST_CASE("attributes at their limits are kept", "[pack][builder]") {
  constexpr std::uint32_t kMaxOwner = std::numeric_limits<std::uint32_t>::max() - 1;
  Building b;
  const Attributes most{
      .mode = 07777,
      .uid = kMaxOwner,
      .gid = kMaxOwner,
      .mtime = {std::numeric_limits<std::int64_t>::max(), 999999999},
      .xattrs = {
          {std::string(255, 'n'), std::vector<std::byte>(65536, std::byte{7})}, {"a", {}}, {"\xff", {std::byte{0}}}}};
  must(b.builder.add_file("most", most, kContent));
  must(b.builder.add_directory(
      "least", {.mode = 0, .uid = 0, .gid = 0, .mtime = {std::numeric_limits<std::int64_t>::min(), 0}, .xattrs = {}}));
  const Pack pack = b.finish();
  const auto stat = pack.root().stat("most");
  REQUIRE(stat);
  CHECK(stat->mode == 07777);
  CHECK(stat->uid == kMaxOwner);
  CHECK(stat->gid == kMaxOwner);
  CHECK(stat->mtime == most.mtime);
  const auto xattrs = pack.root().xattrs("most");
  REQUIRE(xattrs);
  CHECK(*xattrs == std::vector<Xattr>{most.xattrs[1], most.xattrs[0], most.xattrs[2]});
  CHECK(pack.root().stat("least")->mtime.seconds == std::numeric_limits<std::int64_t>::min());
  CHECK(pack.root().stat("least")->mode == 0);
}

TEST_CASE("attributes beyond their limits are refused and nothing is added", "[pack][builder]") {
  constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  Building b;
  const std::vector<Attributes> wrong{
      {.mode = 010000, .uid = 0, .gid = 0, .mtime = {}, .xattrs = {}},
      {.mode = 0, .uid = kNobody, .gid = 0, .mtime = {}, .xattrs = {}},
      {.mode = 0, .uid = 0, .gid = kNobody, .mtime = {}, .xattrs = {}},
      {.mode = 0, .uid = 0, .gid = 0, .mtime = {0, 1000000000}, .xattrs = {}},
      with_xattrs({{"", {}}}),
      with_xattrs({{std::string(256, 'n'), {}}}),
      with_xattrs({{"a", {}}, {"b", {}}, {"a", {std::byte{1}}}}),
      with_xattrs({{"a", std::vector<std::byte>((std::size_t{64} << 20) + 1)}}),
  };
  for (const Attributes& attributes : wrong) {
    INFO("case " << &attributes - wrong.data());
    CHECK(code_of(b.builder.add_directory("x", attributes)) == ErrorCode::invalid);
    CHECK(code_of(b.builder.add_file("x", attributes, kContent)) == ErrorCode::invalid);
    CHECK(code_of(b.builder.add_file("x", attributes, std::vector<std::byte>(2000000))) == ErrorCode::invalid);
    CHECK(code_of(b.builder.add_symlink("x", attributes, "t")) == ErrorCode::invalid);
    CHECK(code_of(b.builder.add_special("x", attributes, FileType::fifo)) == ErrorCode::invalid);
  }
  const Pack pack = b.finish();
  CHECK(pack.info().entries == 0);
  CHECK(pack.info().records == 2);
  CHECK(pack.verify()->damages == 0);
}

TEST_CASE("targets and kinds that the format does not have are refused", "[pack][builder]") {
  Building b;
  CHECK(code_of(b.builder.add_symlink("x", {}, "")) == ErrorCode::invalid);
  CHECK(code_of(b.builder.add_symlink("x", {}, std::string_view("a\0", 2))) == ErrorCode::invalid);
  CHECK(code_of(b.builder.add_symlink("x", {}, std::string(1048577, 't'))) == ErrorCode::name_too_long);
  const std::string longest(1048576, 't');
  must(b.builder.add_symlink("x", {}, longest));
  for (const FileType type : {FileType::none, FileType::regular, FileType::directory, FileType::symlink}) {
    CHECK(code_of(b.builder.add_special("y", {}, type)) == ErrorCode::invalid);
  }
  must(b.builder.add_special("fifo", {}, FileType::fifo, 3, 4));
  must(b.builder.add_special("block", {}, FileType::block_device, 0xFFFFFFFF, 0xFFFFFFFF));
  const Pack pack = b.finish();
  CHECK(pack.root().readlink("x") == longest);
  CHECK(pack.root().lstat("fifo")->device_major == 0);
  CHECK(pack.root().lstat("block")->device_major == 0xFFFFFFFF);
  CHECK(pack.root().lstat("block")->device_minor == 0xFFFFFFFF);
}

TEST_CASE("a builder refuses a compression level that there is not", "[pack][builder]") {
  const TempDir dir;
  for (const int level : {0, -1, 20}) {
    const auto builder = PackBuilder::create(dir.path("a"), {.codec = {.kind = Codec::Kind::zstd, .level = level}});
    CHECK(code_of(builder) == ErrorCode::invalid);
  }
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("a builder that is not finished leaves the old file and nothing else", "[pack][builder]") {
  const TempDir dir;
  write_host_file(dir.path("a.pack"), bytes_of("old"));
  {
    auto builder = PackBuilder::create(dir.path("a.pack"));
    REQUIRE(builder);
    must(builder->add_file("f", {}, kContent));
    PackBuilder moved = std::move(*builder);
    must(moved.add_file("g", {}, kContent));
  }
  CHECK(text_of(read_host_file(dir.path("a.pack"))) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("nothing can be added to a finished pack", "[pack][builder]") {
  Building b;
  const Pack pack = b.finish();
  CHECK(code_of(b.builder.add_file("f", {}, kContent)) == ErrorCode::invalid);
  CHECK(code_of(b.builder.finish()) == ErrorCode::invalid);
  CHECK(pack.info().entries == 0);
}

TEST_CASE("a finished builder tells what an opened pack tells", "[pack][builder]") {
  const TempDir dir;
  auto builder = PackBuilder::create(dir.path("a.pack"));
  REQUIRE(builder);
  must(builder->add_directory("d", {}));
  must(builder->add_file("d/f", {}, kContent));
  must(builder->add_link("g", "d/f"));
  const auto built = builder->finish();
  REQUIRE(built);
  const PackInfo opened = open_pack(dir.path("a.pack")).info();
  CHECK(built->pack_id == opened.pack_id);
  CHECK(built->format_version == opened.format_version);
  CHECK(built->file_bytes == opened.file_bytes);
  CHECK(built->log_bytes == opened.log_bytes);
  CHECK(built->index_bytes == opened.index_bytes);
  CHECK(built->directories == opened.directories);
  CHECK(built->entries == opened.entries);
  CHECK(built->content_bytes == opened.content_bytes);
  CHECK(built->linked_names == opened.linked_names);
  CHECK(built->records == opened.records);
  CHECK(built->entries == 3);
  CHECK(built->content_bytes == 14);
}
