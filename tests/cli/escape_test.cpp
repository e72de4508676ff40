#include "cli/escape.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace {

using packfs::cli::escaped;

TEST_CASE("plain text, accents and other scripts stay as they are", "[cli][escape]") {
  const std::string text = "a b/ü/日本/😀.txt";
  CHECK(escaped(text) == text);
  CHECK(escaped("").empty());
}

TEST_CASE("what could drive a terminal is spelled out", "[cli][escape]") {
  CHECK(escaped("a\nb\tc\rd") == R"(a\nb\tc\rd)");
  CHECK(escaped("\x1b[31mred\x07") == R"(\x1b[31mred\x07)");
  CHECK(escaped(std::string("a\0b", 3)) == R"(a\x00b)");
  CHECK(escaped("\x7f") == R"(\x7f)");
  // C1 controls, as UTF-8 (U+009B is CSI) and as single bytes
  CHECK(escaped("\xc2\x9b") == R"(\xc2\x9b)");
  CHECK(escaped("\x9b") == R"(\x9b)");
  // right-to-left override, line separator
  CHECK(escaped("\xe2\x80\xae") == R"(\xe2\x80\xae)");
  CHECK(escaped("\xe2\x80\xa8") == R"(\xe2\x80\xa8)");
  CHECK(escaped("caf\xe9!") == R"(caf\xe9!)");
}

TEST_CASE("different texts stay different", "[cli][escape]") {
  CHECK(escaped(R"(a\nb)") == R"(a\\nb)");
  std::set<std::string> seen;
  for (int first = 0; first < 256; ++first) {
    for (const int second : {int{'\\'}, int{'x'}, 0x1b, 0x80, 0xbf, int{'n'}}) {
      seen.insert(escaped(std::string{static_cast<char>(first), static_cast<char>(second)}));
    }
  }
  CHECK(seen.size() == 256 * 6);
}

}  // namespace
