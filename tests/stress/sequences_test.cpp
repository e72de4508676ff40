// Sequences by hand: what random ones meet too seldom. A sequence that once failed belongs here, as it was printed.
#include <catch2/catch.hpp>
#include <string>

#include "stress/oracle.h"
#include "stress/settings.h"

using namespace packfs::stress;

namespace {

/// What differed, or nothing. Everything is compared after each operation, unless said otherwise.
std::string run(std::string_view lines, const Setting& setting = empty_setting(),
                const Closeness& closeness = {.whole_state_every = 1, .held_every = 1}) {
  const auto mismatch = run_sequence(setting, operations_from_text(lines), closeness);
  return mismatch ? std::to_string(mismatch->step) + ": " + mismatch->complaint : "";
}

}  // namespace

TEST_CASE("forty symlinks are followed and no more, in paths and behind them", "[stress][sequences]") {
  std::string lines = "make_directory path=\"d\" mode=448\nwrite path=\"d/l0\" size=9 seed=2 mode=420\n";
  for (int i = 1; i <= 42; ++i) {
    const std::string here = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    lines += "symlink path=\"d/l" + here + "\" other=\"../d/l" + before + "\"\n";
    lines += "symlink path=\"c" + here + "\" other=\"" + (i == 1 ? "d" : "c" + before) + "\"\n";
    for (const std::string& path : {"d/l" + here, "c" + here + "/l1", "c" + here + "/new" + here, "c" + here + "/"}) {
      lines += "append path=\"" + path + "\" size=3 seed=1 mode=420 option=1\nstat path=\"" + path + "\"\n";
    }
    lines += "make_directories path=\"c" + here + "/x/y\" mode=448\n";
  }
  CHECK(run(lines) == "");
}

TEST_CASE("renames over, below, above and onto themselves", "[stress][sequences]") {
  CHECK(run(R"(
    make_directories path="a/b/c" mode=448
    make_directory path="e" mode=448
    write path="f" size=5 seed=1 mode=420
    link path="f" other="g"
    hold slot=0
    rename path="a" other="a/b/c/d"
    rename path="a" other="a/x"
    rename path="a" other="a/b" option=2
    rename path="a/b" other="a" option=2
    rename path="a/b" other="a"
    rename path="a" other="a"
    rename path="a/" other="a/."
    rename path="a" other="a" option=1
    rename path="f" other="g"
    rename path="f" other="g" option=2
    rename path="f" other="g" option=1
    rename path="f" other="e"
    rename path="e" other="f"
    rename path="f" other="e" option=2
    rename path="f" other="e/"
    rename path="f" other="e/g"
    rename path="a/b" other="f"
    rename path="a" other="e"
    rename path="" other="x"
    rename path="x" other="/"
    rename path="a" other="." option=1
    rename path="a" other="x" option=2
    rename path="a/b" other="a/b/../c"
    diff slot=0 option=4)") == "");
}

TEST_CASE("names of one file stay one file in a clone, and none of the origin's", "[stress][sequences]") {
  CHECK(run(R"(
    make_directories path="a/b" mode=448
    write path="a/f" size=300 seed=3 mode=420
    link path="a/f" other="a/b/g"
    link path="a/f" other="outside"
    write path="a/alone" size=10 seed=1 mode=420
    hold slot=0
    clone path="a" other="c"
    clone path="a/b" other="d"
    clone path="outside" other="e"
    append path="c/f" size=7 seed=1
    write_at path="d/g" offset=100 size=9 seed=2
    truncate path="a/f" size=12
    append path="c/alone" size=3 seed=1
    link path="c/alone" other="c/b/alone"
    clone path="c" other="a/b/deep"
    unlink path="c/f"
    unlink path="c/b/g"
    unlink path="outside"
    clone path="a" other="g"
    append path="g/f" size=600 seed=1
    hold slot=1
    remove_tree path="a"
    append path="g/b/g" size=600 seed=1
    diff slot=0 option=1
    diff slot=1 option=4)") == "");
}

TEST_CASE("open files and snapshots stay what they were", "[stress][sequences]") {
  CHECK(run(R"(
    write path="f" size=100 seed=3 mode=420
    write path="g" size=70000 seed=3 mode=420
    open_file path="f" slot=0
    open_file path="g" slot=1
    hold slot=0
    append path="f" size=30 seed=1
    append path="g" size=30 seed=1
    open_file path="f" slot=2
    hold slot=1
    truncate path="g" size=10
    append path="g" size=200 seed=5
    append path="f" size=30 seed=7
    write_at path="f" offset=5 size=20 seed=5
    open_file path="g" slot=3
    rename path="f" other="g"
    hold slot=2
    unlink path="g"
    begin
    write path="g" size=5 seed=1 mode=420
    open_file path="g" slot=2
    append path="g" size=5 seed=1
    drop slot=1
    diff slot=0 option=2
    diff slot=2 option=0)") == "");
}

TEST_CASE("appends in small steps from several states do not meet", "[stress][sequences]") {
  std::string lines = "write path=\"f\" size=250 seed=2 mode=420\n";
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    lines += "append path=\"f\" size=" + std::to_string(i * 7 % 90) + " seed=" + number + "\n";
    if (i % 10 == 3)
      lines += "clone path=\"f\" other=\"g" + number + "\"\nappend path=\"g" + number + "\" size=50 seed=1\n";
    if (i % 10 == 5) lines += "begin\nappend path=\"f\" size=500 seed=4\ndrop\n";
    if (i % 20 == 7) lines += "hold slot=" + std::to_string(i / 20 % 4) + "\n";
  }
  CHECK(run(lines) == "");
}

TEST_CASE("a transaction of thousands of names is dropped, made again and taken apart", "[stress][sequences]") {
  constexpr std::string_view kLines = R"(
    make_directory path="w" mode=448
    begin
    fill path="w" other="n" size=2500
    thin path="w" other="n" size=2500
    drop slot=0
    begin slot=1
    fill path="w" other="n" size=2500
    hold slot=0
    commit
    hold slot=1
    clone path="w" other="x"
    thin path="w" other="n" size=2500
    diff slot=1 option=4
    rename path="x" other="w/x"
    list path="w/x" other="n1234"
    list path="w" other="n1234"
    hold slot=2
    remove_tree path="w"
    diff slot=2 option=1)";
  CHECK(run(kLines, empty_setting(), {.whole_state_every = 5, .held_every = 6}) == "");
}

TEST_CASE("entries of a pack are removed, made again, moved and linked", "[stress][sequences]") {
  const packfs::testing::TempDir directory;
  for (const Setting& setting : pack_settings(directory)) {
    CAPTURE(setting.name);
    CHECK(run(R"(
      hold slot=0
      unlink path="b"
      hold slot=1
      write path="b" size=3 seed=1 mode=384
      rename path="a/b" other="moved"
      unlink path="moved/a"
      link path="b" other="moved/a"
      clone path="a" other="c1"
      append path="c1/a" size=100 seed=2
      append path="a/a" size=10 seed=3
      chmod path="moved" mode=0
      rename path="moved" other="a/b"
      remove_tree path="a"
      make_directories path="a/b" mode=448
      diff slot=0 option=1
      diff slot=1 option=4
      list path="" other="b")",
              setting) == "");
  }
}
