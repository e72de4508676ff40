#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "pack/builder_model.h"
#include "packfs/packfs.h"
#include "support/packs.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

struct Sums {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t directories = 0;
};

Sums sums_of(const ModelNode& node) {
  Sums sums;
  for (const auto& [name, child] : node.children) {
    const Sums below = sums_of(child);
    sums.entries += 1 + below.entries;
    sums.directories += (child.type == FileType::directory ? 1U : 0U) + below.directories;
    sums.bytes += below.bytes + (child.content ? child.content->size() : 0);
  }
  return sums;
}

}  // namespace

TEST_CASE("a random tree comes back as it was, with either codec and in either read mode", "[pack][roundtrip]") {
  static const std::uint64_t seed = test_seed();
  const auto codec =
      GENERATE(Codec{}, (Codec{.kind = Codec::Kind::zstd, .level = 1}), (Codec{.kind = Codec::Kind::zstd, .level = 6}));
  const auto entries = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{30}, std::size_t{700});
  Random random(seed + entries);
  const ModelNode tree = random_tree(random, entries);
  const TempDir dir;
  const std::string path = dir.path("a.pack");
  const auto steps = steps_of(tree, random);
  build_pack(path, [&](PackBuilder& builder) { add_steps(builder, steps, random); },
             {.codec = codec, .root = tree.attributes});

  for (const auto mode : {ReadMode::mmap, ReadMode::pread}) {
    const Pack pack = open_pack(path, mode);
    CHECK(differences(tree, pack.root()) == std::vector<std::string>{});
    const Sums sums = sums_of(tree);
    const auto totals = pack.root().totals();
    REQUIRE(totals.has_value());
    CHECK(totals->entries == sums.entries);
    CHECK(totals->bytes == sums.bytes);
    CHECK(pack.info().entries == sums.entries);
    CHECK(pack.info().directories == sums.directories + 1);
    const auto report = pack.verify();
    REQUIRE(report.has_value());
    for (const Error& damage : report->damage) UNSCOPED_INFO(damage.message());
    CHECK(report->damages == 0);
  }
}

TEST_CASE("the comparer of the round trip sees a difference", "[pack][roundtrip]") {
  Random random(7);
  ModelNode tree = random_tree(random, 50);
  const TempDir dir;
  const auto steps = steps_of(tree, random);
  build_pack(dir.path("a.pack"), [&](PackBuilder& builder) { add_steps(builder, steps, random); },
             {.codec = {}, .root = tree.attributes});
  const Pack pack = open_pack(dir.path("a.pack"));
  REQUIRE(differences(tree, pack.root()).empty());
  tree.children.begin()->second.attributes.mode ^= 1;
  CHECK(differences(tree, pack.root()).size() == 1);
  tree.children.erase(tree.children.begin());
  CHECK(!differences(tree, pack.root()).empty());
}
