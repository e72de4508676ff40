#include "house/binaries.h"

#include <catch2/catch.hpp>

#include "house/run.h"

namespace packfs::house {
namespace {

std::string output_of(const std::string& command) {
  const Outcome outcome = run_shell(command);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE_FALSE(outcome.output.empty());
  return outcome.output;
}

TEST_CASE("a program linked with the engine needs nothing but what the engine may need", "[house][binaries]") {
  const std::string needed = output_of("readelf -d " PACKFS_README_PROGRAM);
  CHECK(needed_libraries(needed).size() >= 4);
  CHECK(library_problems(needed) == Problems{});
}

TEST_CASE("the command needs fmt besides, and no network library", "[house][binaries]") {
  CHECK(library_problems(output_of("readelf -d " PACKFS_COMMAND), {"libfmt"}) == Problems{});
}

TEST_CASE("a command that reaches the limit of a file's size says so, and is not killed", "[house][binaries]") {
  const Outcome outcome = run_shell("at=$(mktemp -d); (ulimit -f 0; exec " PACKFS_COMMAND
                                    " init $at/store 2>&1); "
                                    "code=$?; rm -r $at; exit $code");
  CHECK(outcome.exit_code == 1);
  INFO(outcome.output);
  CHECK(outcome.output.ends_with(": File too large\n"));
}

TEST_CASE("no layer reaches the kernel past base::Io", "[house][binaries]") {
  const std::string engine = output_of("nm -A -u " PACKFS_LIBRARY);
  CHECK(engine.contains("system_io"));
  CHECK(syscall_problems(engine) == Problems{});
  // CLI11 comes as headers, and reads configuration files, which the command has none of, with streams of its own.
  Problems command = syscall_problems(output_of("nm -A -u " PACKFS_COMMAND_LIBRARY));
  std::erase_if(command, [](const std::string& problem) { return problem.starts_with("parser.cpp.o: calls _Z"); });
  CHECK(command == Problems{});
}

TEST_CASE("a library that may not be needed is found out", "[house][binaries]") {
  const std::string line = " 0x0000000000000001 (NEEDED)             Shared library: [libcurl.so.4]\n";
  const std::string libc = " 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]\n";
  CHECK(needed_libraries(line + libc) == std::vector<std::string>{"libcurl.so.4", "libc.so.6"});
  CHECK(library_problems(line + libc) == Problems{"needs libcurl.so.4"});
  CHECK(library_problems(line + libc, {"libcurl"}) == Problems{});
}

TEST_CASE("a call past base::Io is found out, whatever glibc calls it", "[house][binaries]") {
  const auto* symbol =
      GENERATE("openat", "open64", "mmap", "syscall", "fopen@GLIBC_2.2.5",
               "_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv", "_ZNSt10filesystem6removeERKNS_7__cxx114pathE");
  const std::string call = std::string("                 U ") + symbol + "\n";
  CHECK(syscall_problems("libpackfs.a:walk.cpp.o:" + call) == Problems{std::string("walk.cpp.o: calls ") + symbol});
  CHECK(syscall_problems("libpackfs.a:system_io.cpp.o:" + call) == Problems{});
  CHECK(syscall_problems("libpackfs.a:walk.cpp.o:                 U memcpy\n") == Problems{});
}

}  // namespace
}  // namespace packfs::house
