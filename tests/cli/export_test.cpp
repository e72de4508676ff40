#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "cli/sample_store.h"
#include "support/fault_io.h"
#include "support/packs.h"
#include "support/tree_compare.h"

namespace {

namespace fs = std::filesystem;
using packfs::testing::Outcome;
using packfs::testing::read_host_file;
using packfs::testing::run_cli;
using packfs::testing::Sample;
using packfs::testing::SampleStore;
using packfs::testing::text_of;

TEST_CASE("export writes what is in one directory, without those above it", "[cli][export]") {
  const Sample s;
  const Outcome exported = run_cli({"export", s.pack, "docs/sub", s.out});
  CHECK(exported.exit_code == 3);  // its set-group-ID bit
  CHECK(exported.err ==
        "packfs: docs/sub: Operation not permitted (set-user-ID or set-group-ID bit): needs --privileged\n");
  CHECK(text_of(read_host_file(s.out + "/deep")) == "deep");
  CHECK(std::distance(fs::directory_iterator(s.out), {}) == 1);

  const std::string linked = s.directory.path("linked");
  const Outcome through_link = run_cli({"export", "--privileged", s.pack, "dirlink", linked});
  CHECK(through_link.exit_code == 0);
  CHECK(through_link.err.empty());
  CHECK(text_of(read_host_file(linked + "/a.txt")) == "hello\n");
  CHECK(text_of(read_host_file(linked + "/sub/deep")) == "deep");
  struct stat status{};
  REQUIRE(::stat((linked + "/sub").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 02775);
}

TEST_CASE("export without PATH is unpack", "[cli][export]") {
  const Sample s;
  const Outcome exported = run_cli({"export", s.pack, s.out});
  const Outcome unpacked = run_cli({"unpack", s.pack, "-C", s.directory.path("unpacked")});
  CHECK(exported.exit_code == unpacked.exit_code);
  CHECK(exported.err == unpacked.err);
  CHECK(packfs::testing::compare_trees(s.directory.path("unpacked"), s.out).empty());
}

TEST_CASE("a store is unpacked and exported as a pack is", "[cli][export][unpack]") {
  const SampleStore s;
  s.put("docs/a.txt", "hello\n");
  s.put("docs/sub/deep", "deep");
  s.must({"ln", "docs/a.txt", "other"});
  s.must({"ln", "-s", "a.txt", "docs/link"});
  const std::string whole = s.directory.path("whole");
  s.must({"unpack", "-C" + whole});
  CHECK(text_of(read_host_file(whole + "/docs/sub/deep")) == "deep");
  CHECK(text_of(read_host_file(whole + "/docs/link")) == "hello\n");
  CHECK(fs::equivalent(whole + "/other", whole + "/docs/a.txt"));
  const std::string docs = s.directory.path("docs");
  s.must({"export", "docs", docs});
  CHECK(packfs::testing::compare_trees(whole + "/docs", docs).empty());
}

TEST_CASE("export names what it cannot find, and makes no directory for it", "[cli][export]") {
  const Sample s;
  struct Case {
    std::string path;
    std::string err;
  };
  const auto c = GENERATE(Case{"nope", "nope: No such file or directory"}, Case{"su", "su: Not a directory"},
                          Case{"../x", "../x: path escapes its root"});
  const Outcome exported = run_cli({"export", s.pack, c.path, s.out});
  CHECK(exported.exit_code == 1);
  CHECK(exported.err == "packfs: " + c.err + "\n");
  CHECK_FALSE(fs::exists(s.out));
}

TEST_CASE("export merges, and names a clash by its path in the pack", "[cli][export][json]") {
  const Sample s;
  fs::create_directories(s.out + "/a.txt/not empty");
  fs::create_directories(s.out + "/sub/mine");
  const Outcome exported = run_cli({"export", "--json", "--privileged", s.pack, "docs/", s.out});
  CHECK(exported.exit_code == 3);
  CHECK(exported.err.starts_with("packfs: docs/a.txt: "));
  const auto object = nlohmann::json::parse(exported.out);
  CHECK(object["path"] == s.out);
  CHECK(object["failed"].size() == 1);
  CHECK(object["failed"][0]["path"] == "docs/a.txt");
  CHECK(fs::exists(s.out + "/sub/mine"));
  CHECK(text_of(read_host_file(s.out + "/sub/deep")) == "deep");
}

TEST_CASE("export takes one or two names besides the pack", "[cli][export]") {
  const Sample s;
  CHECK(run_cli({"export", s.pack}).exit_code == 2);
  const Outcome three = run_cli({"export", s.pack, "docs", s.out, "more"});
  CHECK(three.exit_code == 2);
  CHECK(three.err.find("more") != std::string::npos);
  CHECK_FALSE(fs::exists(s.out));
}

TEST_CASE("a store is not written into itself", "[cli][export][unpack]") {
  const SampleStore s;
  s.put("CURRENT", "no manifest");
  const std::string link = s.directory.path("link");
  fs::create_directory_symlink(s.path, link);
  for (const std::string& target : {s.path, s.path + "/", link}) {
    for (const Outcome& refused :
         {run_cli({"export", s.path, target}), run_cli({"unpack", s.path, "-C", target, "CURRENT"})}) {
      CHECK(refused.exit_code == 2);
      CHECK(refused.err == "packfs: " + target + ": it is the store to read as well\n");
    }
  }
  CHECK(s.run({"check"}).exit_code == 0);
  CHECK(s.cat("CURRENT") == "no manifest");
}

TEST_CASE("an export that the disk breaks off has failed, whatever was written before", "[cli][export][unpack]") {
  const SampleStore s;
  s.put("a", "first");
  s.put("b", "second");
  for (const int error_number : {ENOSPC, EDQUOT, EROFS}) {
    for (const std::vector<std::string>& paths : {std::vector<std::string>{}, {"a", "b"}}) {
      INFO(error_number << ", " << paths.size() << " paths");
      const std::string out = s.directory.path("out");
      std::vector<std::string> line{"unpack", s.path, "-C", out};
      line.insert(line.end(), paths.begin(), paths.end());
      packfs::testing::FaultIo io(packfs::base::system_io());
      io.fail({.call = "pwrite", .nth = 2, .for_ever = true}, error_number);
      const Outcome broken = run_cli(line, {.io = &io});
      CHECK(broken.exit_code == 1);
      CHECK(broken.err.find(packfs::Error::from_errno(error_number).message()) != std::string::npos);
      CHECK(text_of(read_host_file(out + "/a")) == "first");
      fs::remove_all(out);
    }
  }
}

}  // namespace
