#include "cli/problem_text.h"

#include <catch2/catch.hpp>

namespace {

using packfs::Error;
using packfs::ErrorCode;
using packfs::cli::problem_text;

TEST_CASE("a problem is named by its path once", "[cli][problem]") {
  CHECK(problem_text("a/b", ErrorCode::no_entry) == "a/b: No such file or directory");
  CHECK(problem_text("a/b", Error(ErrorCode::no_entry).with_path("a/b")) == "a/b: No such file or directory");
  CHECK(problem_text("", ErrorCode::no_entry) == ".: No such file or directory");
}

TEST_CASE("an offset is one in the pack, which is named", "[cli][problem]") {
  const Error damage = Error(ErrorCode::corrupt).with_offset(12).with_note("a name");
  CHECK(problem_text("a/b", damage, "x.pack") == "a/b: x.pack: corrupt at offset 12 (a name)");
}

TEST_CASE("an error about another path keeps it", "[cli][problem]") {
  CHECK(problem_text("a", Error(ErrorCode::exists).with_path("/t/a")) == "a: /t/a: File exists");
}

}  // namespace
