// Another process swaps what an export writes into for ways out, again and again.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <new>
#include <string>
#include <vector>

#include "host/export.h"
#include "host/trees.h"
#include "support/fault_io.h"
#include "support/temp_dir.h"
#include "support/tree_compare.h"

using namespace packfs;
using namespace packfs::testing;

namespace {

using Lines = std::vector<std::string>;

void make_directory(const std::string& path) { REQUIRE(::mkdir(path.c_str(), 0755) == 0); }

/// Exchanges pairs of names for ever, counting, in a process of its own; until this goes.
class Attacker {
 public:
  explicit Attacker(const std::vector<std::pair<std::string, std::string>>& pairs) {
    void* shared =
        ::mmap(nullptr, sizeof(std::atomic<long>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    swaps_ = new (shared) std::atomic<long>(0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ != 0) return;
    while (true) {
      for (const auto& [a, b] : pairs) {
        if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) swaps_->fetch_add(1);
      }
    }
  }
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;
  ~Attacker() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::munmap(swaps_, sizeof(std::atomic<long>));
  }
  [[nodiscard]] long swaps() const { return swaps_->load(); }

 private:
  std::atomic<long>* swaps_ = nullptr;
  pid_t child_ = -1;
};

/// An outside directory that looks like what is exported, with other content.
void make_outside(const std::string& path) {
  for (const char* name : {"", "/sub", "/sub/below"}) make_directory(path + name);
  for (const char* name : {"/file", "/sub/file", "/sub/below/file"}) write_file(path + name, "outside");
}

void make_source(const std::string& path) {
  for (const char* name : {"", "/d", "/d/sub", "/d/sub/below"}) make_directory(path + name);
  for (const char* name : {"/file", "/d/file", "/d/sub/file", "/d/sub/below/file", "/d/sub/below/more"}) {
    write_file(path + name, "exported");
  }
  // A link whose first name is where the attack is.
  REQUIRE(::link((path + "/d/sub/file").c_str(), (path + "/d/sub/below/linked").c_str()) == 0);
  REQUIRE(::symlink("x", (path + "/d/sub/symlink").c_str()) == 0);
  REQUIRE(::mkfifo((path + "/d/sub/fifo").c_str(), 0600) == 0);
}

}  // namespace

TEST_CASE("nothing outside is touched while directories are swapped for symlinks", "[host][export][attack]") {
  const TempDir dir(kTmpfs);
  make_outside(dir.path("outside"));
  make_source(dir.path("source"));
  const auto imported = import_into_memory({dir.path("source")});
  REQUIRE(imported.report.exact());
  const std::string target = dir.path("target");
  {
    auto exporter = host::Exporter::open(base::system_io(), imported.tree.view(), target, {});
    REQUIRE(exporter);
    REQUIRE(exporter->write_all());
  }
  REQUIRE(::symlink("../outside", (target + "/evil").c_str()) == 0);
  REQUIRE(::symlink("../../outside/sub", (target + "/d/evil").c_str()) == 0);
  REQUIRE(::symlink("../../../outside/sub/below", (target + "/d/sub/evil").c_str()) == 0);
  REQUIRE(::symlink("../outside/file", (target + "/evil file").c_str()) == 0);
  const auto outside_before = import_into_memory({dir.path("outside")});

  FaultIo io(base::system_io());
  const int refusal = GENERATE(0, ENOSYS);
  if (refusal != 0) io.fail({.call = "openat2", .for_ever = true}, refusal);
  long refused = 0;
  long written = 0;
  {
    const Attacker attacker({{target + "/d", target + "/evil"},
                             {target + "/d/sub", target + "/d/evil"},
                             {target + "/d/sub/below", target + "/d/sub/evil"},
                             {target + "/file", target + "/evil file"}});
    for (int round = 0; round < 2000 || attacker.swaps() < 5000; ++round) {
      io.clear_log();
      auto exporter = host::Exporter::open(io, imported.tree.view(), target, {});
      if (!exporter || !exporter->write_all()) continue;
      (exporter->report().exact() ? written : refused) += 1;
    }
  }
  CHECK(refused > 0);
  CHECK(written + refused > 500);
  const auto outside_after = import_into_memory({dir.path("outside")});
  CHECK(outside_after.tree.calls() == outside_before.tree.calls());
  INFO("exports that came through whole: " << written);
}

TEST_CASE("a directory swapped at the worst moment gets nothing written through", "[host][export][attack]") {
  const TempDir dir(kTmpfs);
  make_outside(dir.path("outside"));
  make_source(dir.path("source"));
  const auto imported = import_into_memory({dir.path("source")});
  const auto outside_before = import_into_memory({dir.path("outside")});
  const std::string target = dir.path("target");
  // The swap happens before the n-th call, whichever it is, and stays.
  std::uint64_t nth = 1;
  for (; nth < 1000; ++nth) {
    CAPTURE(nth);
    FaultIo io(base::system_io());
    bool reached = false;
    bool swapped = false;
    io.before({.nth = nth}, [&] {
      reached = true;
      if (::rename((target + "/d").c_str(), (target + "/moved").c_str()) != 0) return;
      swapped = ::symlink("../outside", (target + "/d").c_str()) == 0;
    });
    auto exporter = host::Exporter::open(io, imported.tree.view(), target, {});
    if (exporter && exporter->write_all() && exporter->report().exact() && swapped) {
      // Only when the directory had been left for good.
      CHECK(compare_trees(dir.path("source/d"), target + "/moved") == Lines{});
    }
    remove_tree(target);
    if (!reached) break;
  }
  CHECK(nth > 60);
  CHECK(import_into_memory({dir.path("outside")}).tree.calls() == outside_before.tree.calls());
}
