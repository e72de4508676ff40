#include "cli/walk.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "packfs/pack.h"
#include "packfs/pack_builder.h"
#include "support/packs.h"
#include "support/temp_dir.h"
#include "tree/table.h"

namespace {

using packfs::cli::Walk;
using packfs::testing::bytes_of;
using packfs::testing::must;

TEST_CASE("a walk comes back to directories that it has closed on the way down", "[cli][walk]") {
  constexpr int kDepth = 300;
  const packfs::testing::TempDir directory;
  const std::string file = directory.path("deep.pack");
  packfs::testing::build_pack(file, [](packfs::PackBuilder& builder) {
    std::string path;
    for (int depth = 0; depth < kDepth; ++depth) {
      must(builder.add_file(path + "a", {}, bytes_of("")));
      must(builder.add_file(path + "d0", {}, bytes_of("")));
      must(builder.add_file(path + "z", {}, bytes_of("")));
      must(builder.add_directory(path + "d", {}));
      path += "d/";
    }
  });
  std::vector<std::string> expected;
  std::string path;
  for (int depth = 0; depth < kDepth; ++depth, path += "d/") {
    expected.push_back(path + "a");
    expected.push_back(path + "d");
  }
  for (int depth = kDepth; depth > 0; --depth) {
    path.resize(path.size() - 2);
    expected.push_back(path + "d0");
    expected.push_back(path + "z");
  }

  const packfs::View root = packfs::testing::open_pack(file).root();
  Walk walk(root.table(), root.node());
  std::vector<std::string> seen;
  while (walk.advance()) {
    REQUIRE(walk.current());
    seen.emplace_back(walk.path());
  }
  CHECK(seen == expected);
  CHECK_FALSE(walk.advance());
}

}  // namespace
