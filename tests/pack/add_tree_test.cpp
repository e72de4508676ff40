#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "packfs/volume.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

const Attributes kUnmarked{.mode = 0644, .uid = 1, .gid = 2, .mtime = {1, 5}, .xattrs = {}};
const Attributes kMarked{
    .mode = 04755, .uid = 7, .gid = 8, .mtime = {-3, 1}, .xattrs = {{"user.a", {std::byte{1}, std::byte{2}}}}};

/// One of everything, in tree order, so that a copy in tree order is the same bytes.
void build_all(PackBuilder& builder) {
  must(builder.add_directory("d", kMarked));
  must(builder.add_file("d/a", kMarked, bytes_of("small")));
  must(builder.add_file("d/b", kUnmarked, bytes_of(std::string(300'000, 'b'))));
  std::vector<std::byte> sparse(200'000, std::byte{0});
  sparse[100'000] = std::byte{1};
  must(builder.add_file("d/holes", kUnmarked, sparse));
  must(builder.add_symlink("d/link", kMarked, "a"));
  must(builder.add_special("d/null", kUnmarked, FileType::character_device, 1, 3));
  must(builder.add_directory("e", kUnmarked));
  must(builder.add_directory("e/empty", kUnmarked));
  must(builder.add_special("e/fifo", kUnmarked, FileType::fifo));
  must(builder.add_link("e/second", "d/a"));
  must(builder.add_file("void", kUnmarked, bytes_of("")));
}

void copy(const View& view, const std::string& path) {
  build_pack(path, [&](PackBuilder& builder) { must(builder.add_tree(view)); });
}

}  // namespace

TEST_CASE("a pack built of a pack's view is the same bytes", "[pack][builder]") {
  const TempDir dir;
  build_pack(dir.path("pack"), build_all);
  copy(open_pack(dir.path("pack"), GENERATE(ReadMode::mmap, ReadMode::pread)).root(), dir.path("copy"));
  CHECK(read_host_file(dir.path("copy")) == read_host_file(dir.path("pack")));
}

TEST_CASE("a pack built of a volume over a pack is the same bytes, until the volume is changed", "[pack][builder]") {
  const TempDir dir;
  build_pack(dir.path("pack"), build_all);
  auto volume = Volume::memory(open_pack(dir.path("pack")));
  REQUIRE(volume);
  must(volume->rename("d", "moved"));
  must(volume->chmod("moved/a", 04755));  // copies the linked inode into the volume
  must(volume->rename("moved", "d"));
  must(volume->set_mtime("", open_pack(dir.path("pack")).root().stat("")->mtime));
  copy(volume->snapshot(), dir.path("copy"));
  CHECK(read_host_file(dir.path("copy")) == read_host_file(dir.path("pack")));

  must(volume->append("d/a", bytes_of(" and more")));
  copy(volume->snapshot(), dir.path("changed"));
  const Pack changed = open_pack(dir.path("changed"));
  const auto first = changed.root().open("d/a");
  REQUIRE(first);
  CHECK(text_of(*first->read_all()) == "small and more");
  CHECK(changed.root().stat("e/second")->inode == changed.root().stat("d/a")->inode);
}

TEST_CASE("a tree is added to an empty pack only", "[pack][builder]") {
  const TempDir dir;
  build_pack(dir.path("pack"), build_all);
  const Pack pack = open_pack(dir.path("pack"));
  build_pack(dir.path("copy"), [&](PackBuilder& builder) {
    must(builder.add_directory("d", kUnmarked));
    const auto added = builder.add_tree(pack.root());
    REQUIRE_FALSE(added);
    CHECK(added.error().code() == ErrorCode::invalid);
  });
}
