#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "host/export.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/odd_tree.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

/// Runs `body` in a child that may have 32 descriptors.
int with_few_descriptors(int (*body)(const std::string&), const std::string& argument) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (int fd = 3; fd < 256; ++fd) ::close(fd);
    const rlimit limit{.rlim_cur = 32, .rlim_max = 32};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::_exit(100);
    ::_exit(body(argument));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int import_and_export(const std::string& directory) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    host::ImportOptions options;
    options.threads = threads;
    options.helpers_after = 0;
    const auto imported = import_into_memory({directory + "/source"}, options);
    if (!imported.result) return 1;
    if (!imported.report.exact()) return 2;
    auto exporter = host::Exporter::open(base::system_io(), imported.tree.view(),
                                         directory + "/target " + std::to_string(threads), {.privileged = true});
    if (!exporter || !exporter->write_all()) return 3;
    if (!exporter->report().exact()) return 4;
  }
  return 0;
}

}  // namespace

TEST_CASE("a tree 2,000 deep and a wide one pass through 32 descriptors", "[host][descriptors]") {
  const TempDir dir(kTmpfs);
  const std::string source = dir.path("source");
  REQUIRE(::mkdir(source.c_str(), 0755) == 0);
  make_deep_tree(source, 2000, 20);
  REQUIRE(::mkdir((source + "/wide").c_str(), 0755) == 0);
  for (int d = 0; d < 100; ++d) {
    const std::string directory = source + "/wide/" + std::to_string(d);
    REQUIRE(::mkdir(directory.c_str(), 0755) == 0);
    for (int f = 0; f < 3; ++f) write_file(directory + "/" + std::to_string(f), "x");
  }
  CHECK(with_few_descriptors(import_and_export, dir.path()) == 0);
  for (const char* target : {"target 1", "target 2", "target 4"}) {
    CHECK(compare_trees(source, dir.path(target)) == std::vector<std::string>{});
  }
}

TEST_CASE("an export holds few descriptors whatever the depth", "[host][descriptors]") {
  const TempDir dir(kTmpfs);
  const std::string source = dir.path("source");
  REQUIRE(::mkdir(source.c_str(), 0755) == 0);
  make_deep_tree(source, 400, 100);
  const auto imported = import_into_memory({source});
  FaultIo io(base::system_io());
  {
    auto exporter = host::Exporter::open(io, imported.tree.view(), dir.path("target"), {});
    REQUIRE(exporter);
    REQUIRE(exporter->write_all());
    CHECK(exporter->report().exact());
  }
  CHECK(io.most_open_descriptors() <= 5);
  CHECK(io.open_descriptors() == 0);
  // Two resolutions for each directory in the mean, though each of a whole path would be ten calls.
  CHECK(io.count("openat2") < 4 * 400);
}
