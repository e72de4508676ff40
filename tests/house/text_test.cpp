#include <catch2/catch.hpp>

#include "house/checks.h"

namespace packfs::house {
namespace {

TEST_CASE("this checkout has no overlong file, no unfinished work and no sleeping test", "[house][text]") {
  CHECK(text_problems(read_checkout(PACKFS_SOURCE_DIR)) == Problems{});
}

TEST_CASE("a file of 500 lines is too long, one of 499 is not", "[house][text]") {
  std::string text;
  for (int i = 0; i < 499; ++i) text += "// line\n";
  CHECK(text_problems({{"src/base/a.cpp", text}}) == Problems{});
  CHECK(text_problems({{"src/base/a.cpp", text + "\n"}}) == Problems{"src/base/a.cpp: has 500 lines"});
  CHECK(text_problems({{"docs/format.md", text + "\n"}}) == Problems{});
}

TEST_CASE("a mark of unfinished work is found out, in code, scripts and pages", "[house][text]") {
  const auto* mark = GENERATE("TODO", "FIXME");
  const auto* path = GENERATE("src/base/a.h", "tests/base/a_test.cpp", "docs/limits.md", "bench/run.sh");
  const std::string name = path;
  CHECK(text_problems({{name, "words\n# " + std::string(mark) + ": later\n"}}) ==
        Problems{name + ": says " + std::string(mark)});
  CHECK(text_problems({{name, "a" + std::string(mark) + "\n"}}) == Problems{});
}

TEST_CASE("a sleep in a test is found out, a word that contains it is not", "[house][text]") {
  const auto* call = GENERATE("sleep(1);", "::usleep(5);", "nanosleep(&t, nullptr);", "std::this_thread::sleep_for(s);",
                              "std::this_thread::sleep_until(t);");
  CHECK(text_problems({{"tests/base/a_test.cpp", call}}).size() == 1);
  CHECK(text_problems({{"src/host/a.cpp", call}}) == Problems{});
  CHECK(text_problems({{"tests/base/a_test.cpp", "oversleep(1); sleepy(2); a sleep in words"}}) == Problems{});
  CHECK(text_problems({{"tests/base/a.sh", "sleep 1\n"}}) == Problems{"tests/base/a.sh: waits with sleep"});
}

}  // namespace
}  // namespace packfs::house
