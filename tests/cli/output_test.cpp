#include "cli/output.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "cli/cli_run.h"
#include "support/fault_io.h"

namespace {

using packfs::cli::Output;
using packfs::testing::Catcher;
using packfs::testing::FaultIo;

TEST_CASE("output arrives whole and in order", "[cli][output]") {
  const Catcher caught;
  FaultIo io(packfs::base::system_io());
  io.shorten({.call = "write", .for_ever = true}, 7000);
  Output output(io, caught.descriptor());
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string line = std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), 'x') + "\n";
    output.write(line);
    expected += line;
  }
  const std::string large(200000, 'L');
  output.write(large);
  output.write("end");
  output.flush();
  CHECK(caught.text() == expected + large + "end");
  CHECK_FALSE(output.failure());
}

TEST_CASE("small writes are put together", "[cli][output]") {
  const Catcher caught;
  FaultIo io(packfs::base::system_io());
  Output output(io, caught.descriptor());
  for (int i = 0; i < 1000; ++i) output.write("0123456789");
  output.flush();
  output.flush();
  CHECK(io.count("write") == 1);
}

TEST_CASE("the first failure stays, and nothing is written behind it", "[cli][output]") {
  const Catcher caught;
  FaultIo io(packfs::base::system_io());
  Output output(io, caught.descriptor());
  output.write("one");
  output.flush();
  io.fail({.call = "write"}, ENOSPC);
  output.write("two");
  CHECK_FALSE(output.failure());
  output.flush();
  output.write("three");
  output.flush();
  REQUIRE(output.failure());
  CHECK(output.failure()->message() == "standard output: No space left on device");
  CHECK(caught.text() == "one");
}

}  // namespace
