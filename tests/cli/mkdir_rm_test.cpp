#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_store.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::SampleStore;
using packfs::testing::stat_field;

TEST_CASE("mkdir makes directories whose parents are there", "[cli][mkdir]") {
  const SampleStore s;
  const Outcome made = s.run({"mkdir", "a", "b", "a/c"});
  CHECK(made.exit_code == 0);
  CHECK(made.err.empty());
  CHECK(s.names() == "a\na/c\nb\n");
  CHECK(stat_field(s.run({"stat", "a"}), "mode") == "0755 drwxr-xr-x");
}

TEST_CASE("mkdir names what it cannot make, and makes the rest in one commit", "[cli][mkdir]") {
  const SampleStore s;
  s.must({"mkdir", "a"});
  const Outcome some = s.run({"mkdir", "--json", "a", "b", "no/where", "c"});
  CHECK(some.exit_code == 3);
  CHECK(some.err == "packfs: a: File exists\npackfs: no/where: No such file or directory\n");
  CHECK(nlohmann::json::parse(some.out)["failed"] ==
        nlohmann::json{{{"path", "a"}, {"error", "File exists"}},
                       {{"path", "no/where"}, {"error", "No such file or directory"}}});
  CHECK(s.names() == "a\nb\nc\n");
  CHECK(nlohmann::json::parse(s.run({"check", "--json"}).out)["commits"] == 2);
  const Outcome none = s.run({"mkdir", "--json", "a"});
  CHECK(none.exit_code == 1);
  CHECK(nlohmann::json::parse(none.out)["commit"].is_null());
  CHECK(nlohmann::json::parse(s.run({"check", "--json"}).out)["commits"] == 2);
}

TEST_CASE("mkdir -p makes what is missing on the way", "[cli][mkdir]") {
  const SampleStore s;
  s.must({"mkdir", "-p", "a/b/c", "a/b", "."});
  CHECK(s.names() == "a\na/b\na/b/c\n");
  s.put("file", "x");
  const Outcome over_file = s.run({"mkdir", "--parents", "file/x"});
  CHECK(over_file.exit_code == 1);
  CHECK(over_file.err == "packfs: file/x: Not a directory\n");
}

TEST_CASE("rm removes files, symlinks and, with -r, directories", "[cli][rm]") {
  const SampleStore s;
  s.put("a/file", "x");
  s.put("b", "x");
  s.must({"ln", "-s", "a", "link"});
  const Outcome removed = s.run({"rm", "b", "link"});
  CHECK(removed.exit_code == 0);
  CHECK(removed.err.empty());
  CHECK(s.names() == "a\na/file\n");
  s.put("other", "x");
  s.must({"rm", "-r", "a", "other"});
  CHECK(s.names().empty());
}

TEST_CASE("rm without -r removes no directory, rm -r not the root", "[cli][rm]") {
  const SampleStore s;
  s.put("a/file", "x");
  s.put("b", "x");
  const Outcome some = s.run({"rm", "a", "b", "nope"});
  CHECK(some.exit_code == 3);
  CHECK(some.err == "packfs: a: Is a directory (-r removes directories)\npackfs: nope: No such file or directory\n");
  CHECK(s.names() == "a\na/file\n");
  const Outcome root = s.run({"rm", "--recursive", "."});
  CHECK(root.exit_code == 1);
  CHECK(root.err == "packfs: .: Device or resource busy\n");
  CHECK(s.names() == "a\na/file\n");
}

}  // namespace
