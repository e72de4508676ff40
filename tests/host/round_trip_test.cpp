#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/io.h"
#include "host/export.h"
#include "host/trees.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Lines = std::vector<std::string>;

host::ExportReport export_all(const View& view, const std::string& target, const host::ExportOptions& options) {
  auto exporter = host::Exporter::open(base::system_io(), view, target, options);
  REQUIRE(exporter);
  REQUIRE(exporter->write_all());
  return exporter->report();
}

}  // namespace

TEST_CASE("an odd tree comes back as it was, through import and export", "[host][round-trip]") {
  const TempDir dir(kTmpfs);
  const std::string source = dir.path("source");
  REQUIRE(::mkdir(source.c_str(), 0751) == 0);
  make_odd_tree(source);

  const Imported imported = import_into_memory({source});
  REQUIRE(imported.result);
  CHECK(lines_of(imported.report.skipped) == Lines{});
  CHECK(lines_of(imported.report.changed) == Lines{});
  CHECK(lines_of(imported.report.incomplete) == Lines{});

  const std::string target = dir.path("target");
  const auto report = export_all(imported.tree.view(), target, {.privileged = true});
  CHECK(report.made_target);
  CHECK(lines_of(report.failed) == Lines{});
  CHECK(lines_of(report.incomplete) == Lines{});
  CHECK(lines_of(report.withheld) == Lines{});
  CHECK(report.entries == imported.report.entries);
  CHECK(compare_trees(source, target) == Lines{});

  SECTION("and again over what is there") {
    const auto again =
        export_all(imported.tree.view(), target, {.privileged = true, .root_attributes = host::Choice::always});
    CHECK_FALSE(again.made_target);
    CHECK(again.exact());
    CHECK(compare_trees(source, target) == Lines{});
  }
}
