#include "corpus/corpus.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/lookups.h"

namespace packfs::bench {

namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_typescript(std::string_view path) { return path.ends_with(".ts") || path.ends_with(".tsx"); }

}  // namespace

TEST_CASE("the repository tree has the files, directories and bytes that its name promises", "[bench]") {
  const Corpus tree = repository_tree({});
  CHECK(tree.files.size() == 53'600);
  CHECK(tree.directories.size() == 3'604);
  CHECK(tree.bytes() == 71'500'000);
  const auto own = [](const CorpusFile& file) {
    return file.path.starts_with("src/") || file.path.starts_with("packages/");
  };
  CHECK(std::ranges::count_if(tree.files, own) == 2'600);
  CHECK(std::ranges::count_if(tree.files, [](const CorpusFile& file) { return is_typescript(file.path); }) == 7'400);
  CHECK(
      std::ranges::all_of(tree.files, [&](const CorpusFile& file) { return !own(file) || is_typescript(file.path); }));
  CHECK(std::ranges::all_of(tree.files, [](const CorpusFile& file) { return file.size >= 128 && file.size <= 16384; }));
}

TEST_CASE("no path of the repository tree stands twice, and parents come first", "[bench]") {
  const Corpus tree = repository_tree(RepositoryShape::twentieth());
  std::set<std::string> known{""};
  for (const std::string& directory : tree.directories) {
    REQUIRE(known.contains(parent_of(directory)));
    REQUIRE(known.insert(directory).second);
  }
  for (const CorpusFile& file : tree.files) {
    REQUIRE(known.contains(parent_of(file.path)));
    REQUIRE(known.insert(file.path).second);
  }
  CHECK(known.size() == tree.entries() + 1);
}

TEST_CASE("the same tree is made every time, every file with bytes of its own", "[bench]") {
  const Corpus once = repository_tree(RepositoryShape::twentieth());
  const Corpus again = repository_tree(RepositoryShape::twentieth());
  std::set<std::vector<std::byte>> contents;
  for (std::size_t i = 0; i < once.files.size(); ++i) {
    REQUIRE(once.files[i].path == again.files[i].path);
    REQUIRE(content_of(once.files[i]) == content_of(again.files[i]));
    REQUIRE(status_of(once.files[i]) == status_of(again.files[i]));
    contents.insert(content_of(once.files[i]));
  }
  CHECK(contents.size() == once.files.size());
}

TEST_CASE("workload W has 100 files of 128 bytes in each directory", "[bench]") {
  const Corpus corpus = workload(20'000);
  CHECK(corpus.directories.size() == 200);
  CHECK(corpus.files.size() == 20'000);
  CHECK(corpus.bytes() == 2'560'000);
  CHECK(corpus.files.front().path == "d000/f00000");
  CHECK(corpus.files.back().path == "d199/f19999");
  CHECK(flat_workload(20'000).files.back().path == "f19999");
  CHECK(flat_workload(20'000).directories.empty());
}

TEST_CASE("lookups name every file once, in an order that repeats, and names that miss", "[bench]") {
  const Corpus corpus = workload(1'000);
  const Lookups lookups(corpus);
  REQUIRE(lookups.hits.size() == 1'000);
  REQUIRE(lookups.misses.size() == 1'000);
  std::set<std::string_view> seen;
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < lookups.hits.size(); ++i) {
    const std::string_view hit = lookups.hits[i];
    REQUIRE(hit == corpus.files[lookups.files[i]].path);
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): that it ends with a NUL is what is tested
    REQUIRE(std::strlen(hit.data()) == hit.size());
    REQUIRE(lookups.misses[i] == std::string(hit) + "~");
    seen.insert(hit);
    if (lookups.files[i] == i) ++in_place;
  }
  CHECK(seen.size() == 1'000);
  CHECK(in_place < 20);
  CHECK(Lookups(corpus).files == lookups.files);
}

}  // namespace packfs::bench
