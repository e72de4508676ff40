#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::Sample;

TEST_CASE("stat shows all attributes", "[cli][stat]") {
  const Sample s;
  const Outcome file = run_cli({"stat", s.pack, "docs/a.txt"});
  CHECK(file.exit_code == 0);
  CHECK(file.err.empty());
  const std::string inode =
      nlohmann::json::parse(run_cli({"stat", "--json", s.pack, "docs/a.txt"}).out)["inode"].dump();
  CHECK(file.out ==
        "path     docs/a.txt\n"
        "type     regular\n"
        "mode     0644 -rw-r--r--\n"
        "uid      1\n"
        "gid      2\n"
        "links    1\n"
        "size     6\n"
        "inode    " +
            inode +
            "\n"
            "modified 2000-02-29T00:00:00.123456789Z\n"
            "xattr    user.tag (1 bytes)\n");
}

TEST_CASE("stat of a symlink is of itself", "[cli][stat]") {
  const Sample s;
  const Outcome link = run_cli({"stat", s.pack, "dirlink"});
  CHECK(link.out.starts_with("path     dirlink\ntype     symlink\ntarget   docs\nmode     0777 lrwxrwxrwx\n"));
}

TEST_CASE("stat of a device shows its numbers, of the root its attributes", "[cli][stat]") {
  const Sample s;
  const Outcome both = run_cli({"stat", s.pack, "null", "."});
  CHECK(both.exit_code == 0);
  CHECK(both.out.starts_with("path     null\ntype     character_device\ndevice   1,3\nmode     0666 crw-rw-rw-\n"));
  CHECK(both.out.find("\n\npath     .\ntype     directory\nmode     0750 drwxr-x---\nuid      10\ngid      20\n") !=
        std::string::npos);
  CHECK(both.out.ends_with("modified 2001-09-09T01:46:40.000000005Z\n"));
}

TEST_CASE("stat --json has extended attributes", "[cli][stat][json]") {
  const Sample s;
  const auto file = nlohmann::json::parse(run_cli({"stat", "--json", s.pack, "docs/a.txt"}).out);
  CHECK(file["xattrs"] == nlohmann::json{{{"name", "user.tag"}, {"value_base64", "dg=="}}});
  CHECK(file["mode"] == "0644");
  const auto root = nlohmann::json::parse(run_cli({"stat", "--json", s.pack, "."}).out);
  CHECK(root["xattrs"] == nlohmann::json::array());
  CHECK(root["nlink"] == 4);
}

TEST_CASE("stat names what is missing", "[cli][stat]") {
  const Sample s;
  const Outcome some = run_cli({"stat", s.pack, "nope", "su"});
  CHECK(some.exit_code == 3);
  CHECK(some.err == "packfs: nope: No such file or directory\n");
  CHECK(some.out.starts_with("path     su\n"));
  CHECK(run_cli({"stat", s.pack, "nope"}).exit_code == 1);
}

}  // namespace
