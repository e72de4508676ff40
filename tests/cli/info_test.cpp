#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/sample_pack.h"
#include "packfs/pack.h"
#include "support/packs.h"
#include "support/temp_dir.h"

namespace {

using packfs::testing::Outcome;
using packfs::testing::run_cli;
using packfs::testing::TempDir;

TEST_CASE("info shows what the pack says", "[cli][info]") {
  const TempDir directory;
  const std::string pack = directory.path("sample.pack");
  packfs::testing::write_sample_pack(pack);
  const packfs::PackInfo info = packfs::testing::open_pack(pack).info();

  const Outcome text = run_cli({"info", pack});
  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.starts_with("format version  1\npack id         "));
  CHECK(text.out.find("\ndirectories     4\nentries         13\n") != std::string::npos);
  CHECK(text.out.find("\nfile bytes      " + std::to_string(info.file_bytes) + "\n") != std::string::npos);

  const auto object = nlohmann::json::parse(run_cli({"info", "--json", pack}).out);
  CHECK(object["path"] == pack);
  CHECK(object["entries"] == 13);
  CHECK(object["directories"] == 4);
  CHECK(object["linked_names"] == 2);
  CHECK(object["log_bytes"] == info.log_bytes);
  const std::string id = object["pack_id"];
  CHECK(id.size() == 32);
  CHECK(text.out.find("pack id         " + id + "\n") != std::string::npos);
}

TEST_CASE("what is not a pack is named", "[cli][info]") {
  const TempDir directory;
  const std::string missing = directory.path("missing");
  const Outcome none = run_cli({"info", missing});
  CHECK(none.exit_code == 1);
  CHECK(none.out.empty());
  CHECK(none.err == "packfs: " + missing + ": No such file or directory\n");

  const std::string text = directory.path("text");
  packfs::testing::write_host_file(text, packfs::testing::bytes_of(std::string(1000, 'x')));
  for (const std::string command : {"info", "ls", "verify", "unpack"}) {
    const Outcome other = run_cli({command, text});
    CHECK(other.exit_code == 1);
    CHECK(other.err.starts_with("packfs: " + text + ": not a pack"));
  }
}

}  // namespace
