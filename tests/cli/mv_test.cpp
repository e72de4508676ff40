#include <catch2/catch.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_store.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::SampleStore;

struct MovingTree : SampleStore {
  MovingTree() {
    put("a/file", "in a");
    put("b/file", "in b");
    put("top", "on top");
    must({"mkdir", "empty"});
    must({"ln", "-s", "b", "to-b"});
  }
};

TEST_CASE("mv gives an entry another path, directories with all that is in them", "[cli][mv]") {
  const MovingTree s;
  const Outcome moved = s.run({"mv", "a", "moved"});
  CHECK(moved.exit_code == 0);
  CHECK(moved.out.empty());
  CHECK(moved.err.empty());
  s.must({"mv", "top", "moved/down"});
  CHECK(s.names() == "b\nb/file\nempty\nmoved\nmoved/down\nmoved/file\nto-b\n");
  CHECK(s.cat("moved/down") == "on top");
  CHECK(s.cat("moved/file") == "in a");
}

TEST_CASE("mv to a directory goes into it, through a symlink too", "[cli][mv]") {
  const MovingTree s;
  s.must({"mv", "top", "empty"});
  CHECK(s.cat("empty/top") == "on top");
  s.must({"mv", "/a//", "to-b/"});
  CHECK(s.cat("b/a/file") == "in a");
  s.must({"mv", "to-b", "."});  // where it is
  CHECK(s.names() == "b\nb/a\nb/a/file\nb/file\nempty\nempty/top\nto-b\n");
}

TEST_CASE("mv replaces what is no directory, and empty directories", "[cli][mv]") {
  const MovingTree s;
  s.must({"mv", "top", "b/file"});
  CHECK(s.cat("b/file") == "on top");
  s.must({"mkdir", "b/a"});
  s.must({"mv", "a", "b"});
  CHECK(s.cat("b/a/file") == "in a");
}

TEST_CASE("mv refuses what cannot be, and leaves all as it was", "[cli][mv]") {
  const MovingTree s;
  s.put("b/a/other", "x");
  s.must({"mkdir", "b/top"});
  struct Case {
    std::string from;
    std::string to;
    std::string err;
  };
  const auto c =
      GENERATE(Case{"a", "a", "a -> a/a: Invalid argument (a directory cannot go into itself)"},
               Case{"a", "a/x", "a -> a/x: Invalid argument (a directory cannot go into itself)"},
               Case{"a", "b", "a -> b/a: Directory not empty"}, Case{"top", "b", "top -> b/top: Is a directory"},
               Case{"a", "top", "a -> top: Not a directory"}, Case{"nope", "b", "nope: No such file or directory"},
               Case{"a", "no/where", "a -> no/where: No such file or directory"},
               Case{".", "b", ". -> b: Device or resource busy"}, Case{"../x", "b", "../x: path escapes its root"});
  const std::string before = s.names();
  const Outcome refused = s.run({"mv", c.from, c.to});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err == "packfs: " + c.err + "\n");
  CHECK(s.names() == before);
}

}  // namespace
