#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using packfs::testing::bytes_of;
using packfs::testing::must;

namespace {

/// A tree with symlinks of every kind:
///   file "top", dir/file "inner", dir/sub/deep "deep", and in links/ what its names say.
View sample(const packfs::testing::TempDir& dir) {
  packfs::testing::build_pack(dir.path("p"), [](PackBuilder& pack) {
    const Attributes plain;
    must(pack.add_file("file", plain, bytes_of("top")));
    must(pack.make_parents("dir/sub", plain));
    must(pack.add_file("dir/file", plain, bytes_of("inner")));
    must(pack.add_file("dir/sub/deep", plain, bytes_of("deep")));
    must(pack.add_directory("links", plain));
    must(pack.add_symlink("links/to_dir", plain, "../dir"));
    must(pack.add_symlink("links/to_file", plain, "../dir/file"));
    must(pack.add_symlink("links/to_file_slash", plain, "../dir/file/"));
    must(pack.add_symlink("links/to_dir_slash", plain, "../dir/"));
    must(pack.add_symlink("links/absolute", plain, "/dir/sub/deep"));
    must(pack.add_symlink("links/root", plain, "/"));
    must(pack.add_symlink("links/above", plain, "../../../../file"));
    must(pack.add_symlink("links/dangling", plain, "nowhere"));
    must(pack.add_symlink("links/self", plain, "self"));
    must(pack.add_symlink("links/through_file", plain, "../file/../file"));
    must(pack.add_symlink("links/dots", plain, ".././/dir/./file"));
    must(pack.add_symlink("links/chain0", plain, "../file"));
    for (int i = 1; i <= 45; ++i) {
      must(pack.add_symlink("links/chain" + std::to_string(i), plain, "chain" + std::to_string(i - 1)));
    }
    must(pack.add_symlink("links/up_from_target", plain, "to_dir/../file"));
  });
  return packfs::testing::open_pack(dir.path("p")).root();
}

std::string content(const View& view, const std::string& path) {
  std::string buffer(64, '\0');
  const auto read = view.read(path, std::as_writable_bytes(std::span(buffer)));
  if (!read) return "error " + std::to_string(static_cast<int>(read.error().code()));
  buffer.resize(*read);
  return buffer;
}

ErrorCode failure(const View& view, const std::string& path) {
  const auto stat = view.stat(path);
  REQUIRE_FALSE(stat.has_value());
  return stat.error().code();
}

}  // namespace

TEST_CASE("paths without symlinks lead to what they name", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(content(view, "file") == "top");
  CHECK(content(view, "/file") == "top");
  CHECK(content(view, "//dir///sub/./deep") == "deep");
  CHECK(view.stat("")->type == FileType::directory);
  CHECK(view.stat("/")->type == FileType::directory);
  CHECK(view.stat(".")->type == FileType::directory);
  CHECK(view.stat("dir/")->type == FileType::directory);
  CHECK(view.stat("dir/.")->type == FileType::directory);
}

TEST_CASE("paths that cannot be give POSIX errors", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(failure(view, "missing") == ErrorCode::no_entry);
  CHECK(failure(view, "missing/file") == ErrorCode::no_entry);
  CHECK(failure(view, "file/") == ErrorCode::not_a_directory);
  CHECK(failure(view, "file/.") == ErrorCode::not_a_directory);
  CHECK(failure(view, "file/below") == ErrorCode::not_a_directory);
  CHECK(failure(view, "..") == ErrorCode::escapes_root);
  CHECK(failure(view, "dir/../file") == ErrorCode::escapes_root);
  CHECK(failure(view, "missing/../file") == ErrorCode::escapes_root);
  CHECK(failure(view, "links/to_dir/../file") == ErrorCode::escapes_root);
  CHECK(failure(view, std::string("fi\0le", 5)) == ErrorCode::invalid);
  CHECK(failure(view, std::string(256, 'a')) == ErrorCode::name_too_long);
  CHECK(failure(view, std::string(255, 'a')) == ErrorCode::no_entry);
  CHECK(failure(view, std::string(1048577, '/')) == ErrorCode::name_too_long);
  CHECK(view.stat(std::string(1048576, '/'))->type == FileType::directory);
  CHECK(view.open("dir").error().code() == ErrorCode::is_a_directory);
  CHECK(view.readlink("file").error().code() == ErrorCode::invalid);
}

TEST_CASE("symlinks are followed inside the tree", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(content(view, "links/to_file") == "inner");
  CHECK(content(view, "links/to_dir/file") == "inner");
  CHECK(content(view, "links/to_dir/sub/deep") == "deep");
  CHECK(content(view, "links/absolute") == "deep");
  CHECK(content(view, "links/dots") == "inner");
  CHECK(content(view, "links/up_from_target") == "top");
  CHECK(view.stat("links/root")->inode == view.stat("")->inode);
  CHECK(content(view, "links/root/links/root/file") == "top");
  CHECK(view.stat("links/to_dir_slash")->type == FileType::directory);
}

TEST_CASE("a symlink that climbs stops at the root", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  CHECK(content(sample(dir), "links/above") == "top");
}

TEST_CASE("symlinks that lead nowhere, round, or through files fail as POSIX says", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(failure(view, "links/dangling") == ErrorCode::no_entry);
  CHECK(failure(view, "links/self") == ErrorCode::symlink_loop);
  CHECK(failure(view, "links/self/x") == ErrorCode::symlink_loop);
  CHECK(failure(view, "links/through_file") == ErrorCode::not_a_directory);
  CHECK(failure(view, "links/to_file_slash") == ErrorCode::not_a_directory);
  CHECK(failure(view, "links/to_file/") == ErrorCode::not_a_directory);
  CHECK(failure(view, "links/to_file/x") == ErrorCode::not_a_directory);
}

TEST_CASE("forty symlinks are followed, not one more", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(content(view, "links/chain39") == "top");
  CHECK(failure(view, "links/chain40") == ErrorCode::symlink_loop);
}

TEST_CASE("lstat and readlink look at the last symlink itself, unless a slash follows", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  CHECK(view.lstat("links/to_dir")->type == FileType::symlink);
  CHECK(view.lstat("links/to_dir")->size == 6);
  CHECK(view.lstat("links/to_dir/")->type == FileType::directory);
  CHECK(view.lstat("links/dangling")->type == FileType::symlink);
  CHECK(*view.readlink("links/self") == "self");
  CHECK(*view.readlink("links/absolute") == "/dir/sub/deep");
}

TEST_CASE("a view of a subdirectory resolves symlinks in the whole tree", "[tree][resolve]") {
  const packfs::testing::TempDir dir;
  const View view = sample(dir);
  const auto links = view.directory("links");
  REQUIRE(links.has_value());
  CHECK(content(*links, "to_file") == "inner");
  CHECK(content(*links, "absolute") == "deep");
  CHECK(content(*links, "above") == "top");
  const auto sub = view.directory("links/to_dir/sub");
  REQUIRE(sub.has_value());
  CHECK(content(*sub, "deep") == "deep");
  CHECK(content(*links->directory("to_dir"), "file") == "inner");
  CHECK(view.directory("file").error().code() == ErrorCode::not_a_directory);
  CHECK(view.directory("nothing").error().code() == ErrorCode::no_entry);
}
