#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_store.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::SampleStore;
using packfs::testing::stat_field;

TEST_CASE("cp copies a file, and neither side sees the other's changes", "[cli][cp]") {
  const SampleStore s;
  s.put("file", "first");
  const Outcome copied = s.run({"cp", "file", "copy"});
  CHECK(copied.exit_code == 0);
  CHECK(copied.err.empty());
  s.put("file", "changed");
  CHECK(s.cat("copy") == "first");
  s.put("copy", "changed, too");
  CHECK(s.cat("file") == "changed");
}

TEST_CASE("cp replaces a file, under this name alone, and copies a file onto itself", "[cli][cp]") {
  const SampleStore s;
  s.put("d/file", "new");
  s.put("d/old", "old");
  s.must({"ln", "d/old", "d/kept"});
  s.must({"cp", "d/file", "d/old"});
  CHECK(s.cat("d/old") == "new");
  CHECK(s.cat("d/kept") == "old");
  s.must({"cp", "d/file", "d"});
  CHECK(s.cat("d/file") == "new");
  s.must({"ln", "-s", "d/kept", "link"});
  s.must({"cp", "d/file", "link"});
  CHECK(stat_field(s.run({"stat", "link"}), "type") == "regular");
  CHECK(s.names() == "d\nd/file\nd/kept\nd/old\nlink\n");
}

TEST_CASE("cp -r copies a directory, to a path or into a directory", "[cli][cp]") {
  const SampleStore s;
  s.put("a/b/file", "x");
  s.must({"ln", "-s", "b/file", "a/link"});
  s.must({"cp", "-r", "a", "copy"});
  s.must({"cp", "--recursive", "a", "copy"});
  s.put("a/b/file", "changed");
  CHECK(s.names() ==
        "a\na/b\na/b/file\na/link\ncopy\ncopy/a\ncopy/a/b\ncopy/a/b/file\ncopy/a/link\ncopy/b\ncopy/b/file\n"
        "copy/link\n");
  CHECK(s.cat("copy/link") == "x");
  CHECK(s.cat("copy/a/b/file") == "x");
}

TEST_CASE("cp refuses what cannot be, and leaves all as it was", "[cli][cp]") {
  const SampleStore s;
  s.put("a/file", "x");
  s.put("b/a/other", "x");
  s.put("b/file/deep", "x");
  s.put("top", "x");
  struct Case {
    std::vector<std::string> names;
    std::string err;
  };
  const auto c = GENERATE(
      Case{{"a", "c"}, "a: Is a directory (-r copies directories)"},
      Case{{"-r", "a", "a/c"}, "a -> a/c: Invalid argument (a directory cannot go into itself)"},
      Case{{"-r", "a", "b"}, "a -> b/a: File exists"}, Case{{"-r", "a", "top"}, "a -> top: File exists"},
      Case{{"a/file", "b"}, "a/file -> b/file: File exists"}, Case{{"a/file", "top/"}, "a/file -> top/: File exists"},
      Case{{"nope", "b"}, "nope: No such file or directory"},
      Case{{"a/file", "no/where"}, "a/file -> no/where: No such file or directory"});
  std::vector<std::string> arguments = c.names;
  arguments.insert(arguments.begin(), "cp");
  const std::string before = s.names();
  const Outcome refused = s.run(arguments);
  CHECK(refused.exit_code == 1);
  CHECK(refused.err == "packfs: " + c.err + "\n");
  CHECK(s.names() == before);
}

TEST_CASE("ln makes a further name of a file", "[cli][ln]") {
  const SampleStore s;
  s.put("file", "x");
  s.must({"mkdir", "d"});
  const Outcome linked = s.run({"ln", "file", "other"});
  CHECK(linked.exit_code == 0);
  CHECK(linked.err.empty());
  s.must({"ln", "file", "d"});
  s.put("d/file", "changed");
  CHECK(s.cat("file") == "changed");
  CHECK(stat_field(s.run({"stat", "other"}), "links") == "3");
}

TEST_CASE("ln -s makes a symlink that says just its target", "[cli][ln]") {
  const SampleStore s;
  s.must({"mkdir", "d"});
  s.must({"ln", "-s", "../no where/\n", "link"});
  s.must({"ln", "--symbolic", "/x/y", "d"});
  CHECK(nlohmann::json::parse(s.run({"stat", "--json", "link"}).out)["target"] == "../no where/\n");
  CHECK(nlohmann::json::parse(s.run({"stat", "--json", "d/y"}).out)["target"] == "/x/y");
}

TEST_CASE("ln replaces nothing, and makes no further name of a directory", "[cli][ln]") {
  const SampleStore s;
  s.put("file", "x");
  s.put("other", "y");
  s.must({"mkdir", "d"});
  CHECK(s.run({"ln", "file", "other"}).err == "packfs: other -> file: File exists\n");
  CHECK(s.run({"ln", "-s", "file", "other"}).err == "packfs: other: File exists\n");
  CHECK(s.run({"ln", "-s", "..", "d"}).err == "packfs: d: File exists\n");
  CHECK(s.run({"ln", "d", "e"}).err == "packfs: e -> d: Operation not permitted\n");
  CHECK(s.run({"ln", "nope", "e"}).err == "packfs: nope: No such file or directory\n");
  CHECK(s.run({"ln", "-s", "", "e"}).exit_code == 1);
  CHECK(s.names() == "d\nfile\nother\n");
  CHECK(s.cat("other") == "y");
}

}  // namespace
