#include "packfs/error.h"

#include <catch2/catch.hpp>
#include <clocale>
#include <memory>
#include <type_traits>

using packfs::Error;
using packfs::ErrorCode;

TEST_CASE("a bare error is its code and carries nothing else", "[error]") {
  const Error error = ErrorCode::no_entry;
  CHECK(error.code() == ErrorCode::no_entry);
  CHECK(error.to_errno() == ENOENT);
  CHECK(error.path().empty());
  CHECK_FALSE(error.offset().has_value());
  CHECK(error.message() == "No such file or directory");
}

TEST_CASE("any errno is a code and keeps its number", "[error]") {
  CHECK(Error::from_errno(ENOSPC).code() == ErrorCode::no_space);
  const Error unnamed = Error::from_errno(ENOTCONN);
  CHECK(unnamed.to_errno() == ENOTCONN);
  CHECK(unnamed.message() == "Transport endpoint is not connected");
  CHECK(Error::from_errno(99999).message() == "error 99999");
}

TEST_CASE("PackFS's own codes have a nearest errno and a text", "[error]") {
  struct Expected {
    ErrorCode code;
    int error_number;
    const char* text;
  };
  const auto expected = GENERATE(Expected{ErrorCode::corrupt, EIO, "corrupt"},
                                 Expected{ErrorCode::poisoned, EIO, "poisoned by an earlier failed write"},
                                 Expected{ErrorCode::escapes_root, EXDEV, "path escapes its root"},
                                 Expected{ErrorCode::unsupported_version, ENOTSUP, "unsupported version"},
                                 Expected{ErrorCode::not_a_pack, EINVAL, "not a pack"});
  CHECK(Error(expected.code).to_errno() == expected.error_number);
  CHECK(Error(expected.code).message() == expected.text);
}

TEST_CASE("a message names path, offset and note, each only when known", "[error]") {
  const Error error = ErrorCode::corrupt;
  CHECK(error.with_path("a/b").message() == "a/b: corrupt");
  CHECK(error.with_offset(0).message() == "corrupt at offset 0");
  CHECK(error.with_note("a bad page").message() == "corrupt (a bad page)");
  CHECK(error.with_note("n").with_offset(UINT64_MAX).with_path("p").message() ==
        "p: corrupt at offset 18446744073709551615 (n)");
  CHECK(error.with_path("\xff\n").message() == "\xff\n: corrupt");
}

TEST_CASE("each detail is added and keeps the others, in any order", "[error]") {
  const Error error = Error(ErrorCode::io_error).with_offset(7).with_path("x").with_note("y");
  CHECK(error.code() == ErrorCode::io_error);
  CHECK(error.offset() == 7U);
  CHECK(error.path() == "x");
  CHECK(error.message() == "x: Input/output error at offset 7 (y)");
}

TEST_CASE("the first path stays, an empty one is none, an offset can be set anew", "[error]") {
  const Error error = Error(ErrorCode::corrupt).with_path("").with_path("inner").with_path("outer");
  CHECK(error.path() == "inner");
  CHECK(error.with_offset(1).with_offset(2).offset() == 2U);
}

TEST_CASE("adding a detail leaves the error it was added to as it was", "[error]") {
  const Error plain = Error(ErrorCode::corrupt).with_offset(3);
  const Error named = plain.with_path("p");
  CHECK(plain.path().empty());
  CHECK(named.path() == "p");
  CHECK(named.offset() == 3U);
}

TEST_CASE("copies share their details and outlive the original", "[error]") {
  auto original = std::make_unique<Error>(Error(ErrorCode::corrupt).with_path("shared/path"));
  const Error copy = *original;
  CHECK(copy.path().data() == original->path().data());
  original.reset();
  CHECK(copy.path() == "shared/path");
}

TEST_CASE("an error is small and moves without throwing", "[error]") {
  STATIC_REQUIRE(sizeof(Error) <= 3 * sizeof(void*));
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Error>);
  STATIC_REQUIRE(std::is_nothrow_copy_constructible_v<Error>);
}
