#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::Sample;
using packfs::testing::TempDir;

TEST_CASE("ls lists a directory by name", "[cli][ls]") {
  const Sample s;
  const Outcome root = run_cli({"ls", s.pack});
  CHECK(root.exit_code == 0);
  CHECK(root.out == "dangling\ndirlink\ndocs\nempty\nhard1\nhard2\nlink\nnull\npipe\nsu\n");
  CHECK(root.err.empty());
  CHECK(run_cli({"ls", s.pack, "."}).out == root.out);
  CHECK(run_cli({"ls", s.pack, "/"}).out == root.out);
  CHECK(run_cli({"ls", "--read-mode", "pread", s.pack}).out == root.out);
  CHECK(run_cli({"ls", s.pack, "docs"}).out == "a.txt\nsub\n");
  CHECK(run_cli({"ls", s.pack, "docs/"}).out == "a.txt\nsub\n");
  CHECK(run_cli({"ls", s.pack, "empty"}).out.empty());
  CHECK(run_cli({"ls", s.pack, "empty"}).exit_code == 0);
}

TEST_CASE("ls of what is no directory prints its name", "[cli][ls]") {
  const Sample s;
  CHECK(run_cli({"ls", s.pack, "docs/a.txt"}).out == "docs/a.txt\n");
  CHECK(run_cli({"ls", s.pack, "pipe"}).out == "pipe\n");
}

TEST_CASE("ls follows a symlink to a directory, but not with -l, and none that leads nowhere", "[cli][ls]") {
  const Sample s;
  CHECK(run_cli({"ls", s.pack, "dirlink"}).out == "a.txt\nsub\n");
  CHECK(run_cli({"ls", s.pack, "link"}).out == "link\n");
  CHECK(run_cli({"ls", s.pack, "dangling"}).out == "dangling\n");
  CHECK(run_cli({"ls", "-l", s.pack, "dirlink"}).out ==
        "lrwxrwxrwx  1     0     0          4 1970-01-01T00:00:00Z dirlink -> docs\n");
}

TEST_CASE("ls -l shows every type of entry", "[cli][ls]") {
  const Sample s;
  const Outcome root = run_cli({"ls", "-l", s.pack});
  CHECK(root.exit_code == 0);
  CHECK(root.out ==
        "lrwxrwxrwx  1     0     0          7 1970-01-01T00:00:00Z dangling -> nowhere\n"
        "lrwxrwxrwx  1     0     0          4 1970-01-01T00:00:00Z dirlink -> docs\n"
        "drwxr-xr-x  3     1     2          0 1970-01-01T00:00:00Z docs\n"
        "drwx------  2     0     0          0 1970-01-01T00:00:00Z empty\n"
        "-rw-r--r--  2     0     0          6 1970-01-01T00:00:00Z hard1\n"
        "-rw-r--r--  2     0     0          6 1970-01-01T00:00:00Z hard2\n"
        "lrwxrwxrwx  1     0     0         10 1970-01-01T00:00:00Z link -> docs/a.txt\n"
        "crw-rw-rw-  1     0     0        1,3 1970-01-01T00:00:00Z null\n"
        "prw-r--r--  1     0     0          0 1970-01-01T00:00:00Z pipe\n"
        "-rwsr-xr-x  1     0     0          3 1970-01-01T00:00:00Z su\n");
  CHECK(run_cli({"ls", "-l", s.pack, "docs"}).out ==
        "-rw-r--r--  1     1     2          6 2000-02-29T00:00:00Z a.txt\n"
        "drwxrwsr-x  2     0     0          0 1970-01-01T00:00:00Z sub\n");
}

TEST_CASE("ls -R lists everything below by its path", "[cli][ls]") {
  const Sample s;
  CHECK(run_cli({"ls", "-R", s.pack}).out ==
        "dangling\ndirlink\ndocs\ndocs/a.txt\ndocs/sub\ndocs/sub/deep\nempty\nhard1\nhard2\nlink\nnull\npipe\nsu\n");
  CHECK(run_cli({"ls", "-R", s.pack, "docs"}).out == "a.txt\nsub\nsub/deep\n");
  CHECK(run_cli({"ls", "-lR", s.pack, "docs/sub/"}).out ==
        "-rw-------  1     0     0          4 1970-01-01T00:00:00Z deep\n");
}

TEST_CASE("with several PATHs each name is below its own", "[cli][ls]") {
  const Sample s;
  CHECK(run_cli({"ls", s.pack, "docs", "su", "docs/sub/"}).out == "docs/a.txt\ndocs/sub\nsu\ndocs/sub/deep\n");
  CHECK(run_cli({"ls", "-R", s.pack, "docs", "empty"}).out == "docs/a.txt\ndocs/sub\ndocs/sub/deep\n");
}

TEST_CASE("ls -0 ends names with NUL", "[cli][ls]") {
  const Sample s;
  using namespace std::string_literals;
  CHECK(run_cli({"ls", "-0", s.pack, "docs"}).out == "a.txt\0sub\0"s);
}

TEST_CASE("ls --json prints one object on each line", "[cli][ls][json]") {
  const Sample s;
  const Outcome listed = run_cli({"ls", "--json", "-R", s.pack});
  CHECK(listed.exit_code == 0);
  std::vector<nlohmann::json> objects;
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  REQUIRE(objects.size() == 13);
  const nlohmann::json file = {{"path", "docs/a.txt"},
                               {"type", "regular"},
                               {"mode", "0644"},
                               {"uid", 1},
                               {"gid", 2},
                               {"nlink", 1},
                               {"size", 6},
                               {"inode", objects[3]["inode"]},
                               {"mtime", "2000-02-29T00:00:00.123456789Z"},
                               {"mtime_seconds", 951782400},
                               {"mtime_nanoseconds", 123456789}};
  CHECK(objects[3] == file);
  CHECK(objects[0]["target"] == "nowhere");
  CHECK(objects[7]["link_id"] == objects[8]["link_id"]);
  CHECK(objects[7]["nlink"] == 2);
  CHECK(objects[10]["device_major"] == 1);
  CHECK(objects[10]["device_minor"] == 3);
}

TEST_CASE("ls names what is missing, and goes on", "[cli][ls]") {
  const Sample s;
  const Outcome some = run_cli({"ls", s.pack, "nope", "docs", "su/x"});
  CHECK(some.exit_code == 3);
  CHECK(some.out == "docs/a.txt\ndocs/sub\n");
  CHECK(some.err == "packfs: nope: No such file or directory\npackfs: su/x: Not a directory\n");
  const Outcome none = run_cli({"ls", s.pack, "nope"});
  CHECK(none.exit_code == 1);
  CHECK(none.out.empty());
  CHECK(run_cli({"ls", s.pack, "../x"}).err == "packfs: ../x: path escapes its root\n");
}

TEST_CASE("damage on the way is named, and the rest is listed", "[cli][ls][damage]") {
  const TempDir directory;
  const std::string pack = directory.path("damaged.pack");
  packfs::testing::build_pack(pack, [](packfs::PackBuilder& builder) {
    using packfs::testing::bytes_of;
    using packfs::testing::must;
    must(builder.add_directory("after", {}));
    must(builder.add_directory("before", {}));
    must(builder.add_file("before/x", {}, bytes_of("")));
    must(builder.add_directory("many", {}));
    for (int i = 1000; i < 4000; ++i) must(builder.add_file("many/file" + std::to_string(i), {}, bytes_of("")));
    must(builder.add_directory("then", {}));
    must(builder.add_file("then/y", {}, bytes_of("")));
  });
  packfs::testing::damage_last(pack, "file2500");
  const Outcome listed = run_cli({"ls", "-R", pack});
  CHECK(listed.exit_code == 3);
  CHECK(listed.out.starts_with("after\nbefore\nbefore/x\nmany\nmany/file1000\nmany/file1001\n"));
  CHECK(listed.out.ends_with("\nthen\nthen/y\n"));
  CHECK(listed.out.find("many/file2500") == std::string::npos);
  CHECK(listed.err.starts_with("packfs: many: " + pack + ": corrupt at offset "));
  CHECK(run_cli({"ls", pack, "many"}).exit_code == 3);
  CHECK(run_cli({"ls", pack, "many"}).err == listed.err);
}

}  // namespace
