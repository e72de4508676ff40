#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"

namespace {

using packfs::testing::odd_names;
using packfs::testing::Outcome;
using packfs::testing::SampleStore;
using packfs::testing::stat_field;

struct ReadTree : SampleStore {
  ReadTree() {
    put("docs/a.txt", "hello\n");
    put("docs/sub/deep", "deep");
    must({"ln", "docs/a.txt", "hard"});
    must({"ln", "-s", "docs/a.txt", "link"});
    must({"ln", "-s", "docs", "dirlink"});
  }
};

TEST_CASE("ls lists a store as it lists a pack", "[cli][ls][store]") {
  const ReadTree s;
  const Outcome root = s.run({"ls"});
  CHECK(root.exit_code == 0);
  CHECK(root.err.empty());
  CHECK(root.out == "dirlink\ndocs\nhard\nlink\n");
  CHECK(s.run({"ls", "dirlink"}).out == "a.txt\nsub\n");
  CHECK(s.run({"ls", "-R", "docs", "hard"}).out == "docs/a.txt\ndocs/sub\ndocs/sub/deep\nhard\n");
  const Outcome some = s.run({"ls", "nope", "docs/sub"});
  CHECK(some.exit_code == 3);
  CHECK(some.out == "docs/sub/deep\n");
  CHECK(some.err == "packfs: nope: No such file or directory\n");
  const Outcome long_format = s.run({"ls", "-l", "docs/a.txt"});
  CHECK(long_format.out.starts_with("-rw-r--r--  2 "));
  CHECK(long_format.out.ends_with(" docs/a.txt\n"));
}

TEST_CASE("cat and stat read a store", "[cli][cat][stat][store]") {
  const ReadTree s;
  CHECK(s.run({"cat", "link", "docs/sub/deep"}).out == "hello\ndeep");
  const auto object = nlohmann::json::parse(s.run({"stat", "--json", "hard"}).out);
  CHECK(object["type"] == "regular");
  CHECK(object["nlink"] == 2);
  CHECK(object["size"] == 6);
  CHECK(object["link_id"] == nlohmann::json::parse(s.run({"stat", "--json", "docs/a.txt"}).out)["link_id"]);
}

TEST_CASE("info sums up a store", "[cli][info][store]") {
  const ReadTree s;
  const Outcome info = s.run({"info"});
  CHECK(info.exit_code == 0);
  CHECK(stat_field(info, "segments") == "1");
  CHECK(stat_field(info, "entries") == "7");
  CHECK(stat_field(info, "content bytes") == "16");
  CHECK(stat_field(info, "linked names") == "2");
  const auto object = nlohmann::json::parse(s.run({"info", "--json"}).out);
  CHECK(object["path"] == s.path);
  CHECK(object["store_id"] == stat_field(info, "store id"));
  CHECK(object["created"] == stat_field(info, "created"));
  CHECK(object["segments"] == 1);
  CHECK(object["journal_bytes"] > 500);
  CHECK(object["last_commit"] > 4);
  CHECK(object["entries"] == 7);
  CHECK(object["content_bytes"] == 16);
  CHECK(object["linked_names"] == 2);
}

TEST_CASE("any name goes into a store and comes out of it as it is", "[cli][names][store]") {
  const SampleStore s;
  std::string lines;
  for (const std::string& name : odd_names()) {
    const auto with = [&](const std::string& command) {
      return packfs::testing::run_cli({command, s.path, "--", name}, {.in = name});
    };
    CHECK(with("put").exit_code == 0);
    CHECK(with("cat").out == name);
    lines += name + "\n";
  }
  CHECK(s.run({"ls"}).out == lines);
  const Outcome shown = s.run({"ls"}, {.out_is_terminal = true});
  CHECK(shown.out.find('\x1b') == std::string::npos);
  const Outcome refused = s.run({"mkdir", "new\nline", "\x1b[31mred"});
  CHECK(refused.err == "packfs: new\\nline: File exists\npackfs: \\x1b[31mred: File exists\n");
  for (const std::string& name : odd_names()) {
    CHECK(packfs::testing::run_cli({"rm", s.path, "--", name}).exit_code == 0);
  }
  CHECK(s.names().empty());
}

}  // namespace
