#include "cli/diagnostics.h"

#include <catch2/catch.hpp>
#include <string>

#include "cli/cli_run.h"
#include "cli/progress.h"

namespace {

using packfs::Error;
using packfs::ErrorCode;
using packfs::cli::Diagnostics;
using packfs::cli::Output;
using packfs::cli::Progress;
using packfs::cli::Streams;
using packfs::testing::Catcher;

std::chrono::steady_clock::time_point the_time{};

struct Fixture {
  explicit Fixture(bool terminal)
      : streams{.out = out.descriptor(),
                .err = err.descriptor(),
                .out_is_terminal = false,
                .err_is_terminal = terminal,
                .now = [] { return the_time; }} {}
  Catcher out;
  Catcher err;
  Streams streams;
  Output output{packfs::base::system_io(), out.descriptor()};
  Diagnostics diagnostics{packfs::base::system_io(), streams, output};
};

void pass(int milliseconds) { the_time += std::chrono::milliseconds(milliseconds); }

TEST_CASE("an error is one line, with control characters escaped", "[cli][diagnostics]") {
  Fixture f(false);
  f.diagnostics.error(Error(ErrorCode::corrupt).with_path("a\n\x1b[2Jb").with_offset(7).with_note("bad\tname"));
  CHECK(f.err.text() == "packfs: a\\n\\x1b[2Jb: corrupt at offset 7 (bad\\tname)\n");
}

TEST_CASE("output that came before an error is shown before it", "[cli][diagnostics]") {
  Fixture f(false);
  f.output.write("first");
  f.diagnostics.error("then");
  CHECK(f.out.text() == "first");
}

TEST_CASE("progress is shown at a terminal only", "[cli][diagnostics]") {
  Fixture f(false);
  pass(1000);
  Progress("pack", f.diagnostics).show_count(5, 6);
  f.diagnostics.clear_progress();
  CHECK(f.err.text().empty());
}

TEST_CASE("progress waits a tenth of a second, and is erased", "[cli][diagnostics]") {
  Fixture f(true);
  Progress progress("pack", f.diagnostics);
  pass(99);
  progress.show_count(1, 1);
  CHECK(f.err.text().empty());
  pass(1);
  progress.show_count(2, 2048);
  const std::string first = "\r\x1b[Kpack: 2 entries, 2.0 KiB";
  CHECK(f.err.text() == first);
  pass(99);
  progress.show_count(3, 3);
  CHECK(f.err.text() == first);
  pass(1);
  progress.show_count(4, 4);
  const std::string second = first + "\r\x1b[Kpack: 4 entries, 4 bytes";
  CHECK(f.err.text() == second);
  f.diagnostics.clear_progress();
  f.diagnostics.clear_progress();
  CHECK(f.err.text() == second + "\r\x1b[K");
}

TEST_CASE("an error takes the place of the progress line", "[cli][diagnostics]") {
  Fixture f(true);
  pass(100);
  Progress("verify", f.diagnostics).show_share(1, 3);
  f.diagnostics.error("broken");
  CHECK(f.err.text() == "\r\x1b[Kverify: 33% of 3 bytes\r\x1b[Kpackfs: broken\n");
}

TEST_CASE("a share of nothing or of too much is at most all of it", "[cli][diagnostics]") {
  Fixture f(true);
  Progress progress("verify", f.diagnostics);
  pass(100);
  progress.show_share(0, 0);
  pass(100);
  progress.show_share(~0ULL, 1);
  pass(100);
  progress.show_share(1, ~0ULL);
  CHECK(f.err.text() == "\r\x1b[Kverify: 100% of 0 bytes\r\x1b[Kverify: 100% of 1 bytes\r\x1b[Kverify: 0% of 16.0 EiB");
}

}  // namespace
