// The model against the kernel: what the oracle compares with must itself be right.
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "stress/generator.h"
#include "stress/host_tree.h"
#include "stress/sanitized.h"
#include "support/seed.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::stress;

namespace {

constexpr std::uint64_t kSequences = kIsSanitized ? 30 : 300;

/// Errors that POSIX has no names for, or that only the model can give, or gives in another order on purpose.
bool is_comparable(const Outcome& expected) {
  return expected.error != ErrorCode::invalid && expected.error != ErrorCode::too_large &&
         expected.error != ErrorCode::name_too_long;
}

Operation look_at(const std::string& path) {
  Operation look;
  look.kind = Operation::Kind::lstat;
  look.path = path;
  return look;
}

/// In the child: both do the same. What differed first, or nothing.
std::string run_both(const std::vector<Operation>& operations, Fault fault) {
  Model model(getuid(), getgid(), fault);
  std::string log;
  for (const Operation& generated : operations) {
    const auto operation = for_host(generated);
    if (!operation) continue;
    Model tried = model;
    const Outcome expected = apply(*operation, tried);
    if (!is_comparable(expected)) continue;
    model = tried;
    log += to_text(*operation) + "\n";
    const Outcome real = apply_to_host(*operation);
    if (!agrees(real, expected)) return log + "gave " + real.to_text() + ", not " + expected.to_text();
    for (const std::string& path : {operation->path, operation->other}) {
      if (!path.starts_with('/')) continue;
      const Outcome there = apply_to_host(look_at(path));
      const Outcome expected_there = apply(look_at(path), model);
      if (!agrees(there, expected_there)) {
        return log.append("then ").append(path) + " is " + there.to_text() + ", not " + expected_there.to_text();
      }
    }
  }
  return "";
}

/// Calls run_both() in a child whose root is `directory`. Nothing when a child may not have one.
std::optional<std::string> run_in(const std::string& directory, const std::vector<Operation>& operations,
                                  Fault fault = Fault::none) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    umask(0);
    const bool is_rooted = chroot(directory.c_str()) == 0 && chdir("/") == 0;
    const std::string result = is_rooted ? run_both(operations, fault) : "";
    const auto written = write(ends[1], result.data(), result.size());
    _exit(!is_rooted || written < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string result;
  std::array<char, 4096> buffer{};
  for (ssize_t length = 0; (length = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    result.append(buffer.data(), static_cast<std::size_t>(length));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return "the child was killed";
  return WEXITSTATUS(status) == 0 ? std::optional(result) : std::nullopt;
}

}  // namespace

TEST_CASE("the model gives what the kernel gives, error for error", "[stress][model][host]") {
  const testing::TempDir directory;
  const std::uint64_t seed = testing::test_seed();
  for (std::uint64_t i = 0; i < kSequences; ++i) {
    const std::string root = directory.path(std::to_string(i));
    REQUIRE(mkdir(root.c_str(), 0755) == 0);
    const auto difference = run_in(root, generate(seed + i, Model(), 200));
    if (!difference) {
      WARN("not compared: chroot(2) is not allowed here");
      return;
    }
    INFO("sequence seed " << seed + i);
    REQUIRE(*difference == "");
    testing::remove_tree(root);
  }
}

TEST_CASE("the model and the kernel follow as many symlinks", "[stress][model][host]") {
  std::string lines = "make_directory path=\"d\" mode=448\nwrite path=\"d/l0\" size=9 seed=2 mode=420\n";
  for (int i = 1; i <= 45; ++i) {
    const std::string link = "\"d/l" + std::to_string(i) + "\"";
    lines += "symlink path=" + link + " other=\"../d/l" + std::to_string(i - 1) + "\"\n";
    for (const char* kind : {"stat", "append", "exists"}) lines += std::string(kind) + " path=" + link + " size=4\n";
    lines += "symlink path=\"c" + std::to_string(i) +
             "\" other=" + (i == 1 ? "\"d\"" : "\"c" + std::to_string(i - 1) + "\"") + "\n";
    lines += "stat path=\"c" + std::to_string(i) + "/l1\"\nlink path=\"c" + std::to_string(i) + "/\" other=\"x\"\n";
  }
  const testing::TempDir directory;
  const auto difference = run_in(directory.path(), operations_from_text(lines));
  if (difference) CHECK(*difference == "");
}

TEST_CASE("a wrong model is found out by the kernel", "[stress][model][host]") {
  const testing::TempDir directory;
  std::string found;
  for (std::uint64_t seed = 0; seed < 50 && found.empty(); ++seed) {
    const std::string root = directory.path(std::to_string(seed));
    REQUIRE(mkdir(root.c_str(), 0755) == 0);
    const auto difference = run_in(root, generate(seed, Model(), 200), Fault::rename_loses_what_it_moves);
    if (!difference) return;  // not allowed to compare
    found = *difference;
  }
  CHECK(found.contains("rename"));
}
