#include <catch2/catch.hpp>

#include "house/checks.h"

namespace packfs::house {
namespace {

Checkout small_checkout() {
  return {{"CMakeLists.txt",
           "foreach(layer base path)\n  add_subdirectory(src/${layer})\nendforeach()\n"
           "add_subdirectory(tests)\n"},
          {"src/base/CMakeLists.txt", "target_sources(packfs PRIVATE a.cpp)\n"},
          {"src/base/a.cpp", "#include \"base/a.h\"\n"},
          {"src/base/a.h", "#pragma once\n"},
          {"tests/CMakeLists.txt", "add_subdirectory(base)  # not b_test.cpp\n"},
          {"tests/base/CMakeLists.txt", "packfs_tests(base\n  a_test.cpp)\n"},
          {"tests/base/a_test.cpp", "#include \"base/a.h\"\n"}};
}

TEST_CASE("every source of this checkout is in the build, every header is used", "[house][build]") {
  CHECK(build_problems(read_checkout(PACKFS_SOURCE_DIR)) == Problems{});
}

TEST_CASE("a checkout that is whole passes", "[house][build]") {
  CHECK(build_problems(small_checkout()) == Problems{});
}

TEST_CASE("a source or test that is not in the build is found out", "[house][build]") {
  const auto* path = GENERATE("src/base/b.cpp", "tests/base/b_test.cpp", "bench/b.cpp", "src/path/a.cpp");
  Checkout checkout = small_checkout();
  checkout[path] = "";
  CHECK(build_problems(checkout) == Problems{std::string(path) + ": no CMakeLists.txt names it"});
}

TEST_CASE("a source named in a comment only is not in the build", "[house][build]") {
  Checkout checkout = small_checkout();
  checkout["tests/b_test.cpp"] = "";
  CHECK(build_problems(checkout) == Problems{"tests/b_test.cpp: no CMakeLists.txt names it"});
}

TEST_CASE("a header that nothing includes is found out", "[house][build]") {
  Checkout checkout = small_checkout();
  checkout["src/base/lonely.h"] = "#include \"base/lonely.h\"\n";
  CHECK(build_problems(checkout) == Problems{"src/base/lonely.h: nothing includes it"});
}

TEST_CASE("a folder that its parent does not add is found out", "[house][build]") {
  Checkout checkout = small_checkout();
  checkout["tests/log/CMakeLists.txt"] = "packfs_tests(log a_test.cpp)\n";
  checkout["tests/log/a_test.cpp"] = "";
  CHECK(build_problems(checkout) == Problems{"tests/log/CMakeLists.txt: no CMakeLists.txt above adds its folder"});
}

}  // namespace
}  // namespace packfs::house
