#include <catch2/catch.hpp>

#include "house/checks.h"

namespace packfs::house {
namespace {

Problems problems_of(const std::string& text) { return contract_problems({{"include/packfs/a.h", text}}); }

TEST_CASE("every public declaration of this checkout has a contract", "[house][contracts]") {
  CHECK(contract_problems(read_checkout(PACKFS_SOURCE_DIR)) == Problems{});
}

TEST_CASE("a contract above a paragraph covers the paragraph, and nothing behind it", "[house][contracts]") {
  CHECK(problems_of("/// What it is.\nint one();\nint two();\n") == Problems{});
  CHECK(problems_of("/// What it is.\nint one();\n\nint two(int a,\n        int (*b)());\n") ==
        Problems{"include/packfs/a.h: two() has no contract"});
  CHECK(problems_of("// What it is.\nint one();\n") == Problems{"include/packfs/a.h: one() has no contract"});
}

TEST_CASE("types and their public functions need a contract, private ones do not", "[house][contracts]") {
  const std::string declared =
      "class A {\n public:\n  A();\n  ~A();\n\n  int f() const { return g(); }\n\n private:\n"
      "  int g() const;\n\n  struct Hidden {\n    int h();\n  };\n};\n";
  CHECK(problems_of("namespace packfs {\n\n" + declared + "}\n") ==
        Problems{"include/packfs/a.h: type A has no contract", "include/packfs/a.h: f() has no contract"});
  CHECK(problems_of("/// An A.\nstruct A {\n  int f();\n};\n") == Problems{});
  CHECK(problems_of("/// An A.\nstruct A {\n  int a;\n\n  int f();\n};\n") ==
        Problems{"include/packfs/a.h: f() has no contract"});
}

TEST_CASE("only the public headers need contracts", "[house][contracts]") {
  CHECK(contract_problems({{"src/base/a.h", "int one();\n"}}) == Problems{});
}

}  // namespace
}  // namespace packfs::house
