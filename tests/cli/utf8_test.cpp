#include "cli/utf8.h"

#include <catch2/catch.hpp>
#include <string>

namespace {

using packfs::cli::first_utf8_sequence;
using packfs::cli::is_utf8;

TEST_CASE("a sequence is measured and decoded", "[cli][utf8]") {
  struct Case {
    std::string text;
    std::size_t length;
    char32_t code_point;
  };
  const auto c = GENERATE(Case{"a", 1, U'a'}, Case{std::string(1, '\0'), 1, 0}, Case{"\x7f", 1, 0x7F},
                          Case{"\xc2\x80", 2, 0x80}, Case{"\xdf\xbf", 2, 0x7FF}, Case{"\xe0\xa0\x80", 3, 0x800},
                          Case{"\xed\x9f\xbf", 3, 0xD7FF}, Case{"\xee\x80\x80", 3, 0xE000},
                          Case{"\xf0\x90\x80\x80", 4, 0x10000}, Case{"\xf4\x8f\xbf\xbf", 4, 0x10FFFF});
  CHECK(first_utf8_sequence(c.text + "rest").length == c.length);
  CHECK(first_utf8_sequence(c.text).code_point == c.code_point);
  CHECK(is_utf8(c.text));
  CHECK(is_utf8("x" + c.text + c.text + "y"));
}

TEST_CASE("what is not UTF-8 is told apart", "[cli][utf8]") {
  const std::string text = GENERATE(
      // alone, cut off, overlong, a surrogate, beyond the last code point, no lead byte at all
      "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2(\xa1", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
      "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff");
  CHECK(first_utf8_sequence(text).length == 0);
  CHECK_FALSE(is_utf8(text));
  CHECK_FALSE(is_utf8("good" + text));
}

TEST_CASE("no text begins with no sequence, and is UTF-8", "[cli][utf8]") {
  CHECK(first_utf8_sequence("").length == 0);
  CHECK(is_utf8(""));
}

}  // namespace
