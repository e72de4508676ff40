#include "stress/operation.h"

#include <catch2/catch.hpp>
#include <set>

#include "stress/apply.h"
#include "stress/generator.h"
#include "support/seed.h"

using namespace packfs::stress;

TEST_CASE("every generated operation can be printed and read back", "[stress][operation]") {
  const auto seed = packfs::testing::test_seed();
  for (const Operation& operation : generate(seed, Model(), 3000)) {
    const std::string line = to_text(operation);
    CHECK_FALSE(line.contains('\n'));
    const auto read = from_text(line);
    REQUIRE(read);
    CHECK(*read == operation);
  }
}

TEST_CASE("what is no operation is not read", "[stress][operation]") {
  CHECK_FALSE(from_text("").has_value());
  CHECK_FALSE(from_text("fly path=\"a\"").has_value());
  CHECK_FALSE(from_text("write pass=\"a\"").has_value());
  CHECK_FALSE(from_text("write size=12x").has_value());
  CHECK_FALSE(from_text("write path=\"a").has_value());
  CHECK_THROWS_AS(operations_from_text("unlink path=\"a\"\nfly"), std::runtime_error);
  const auto operations = operations_from_text("# a comment\n\n  unlink path=\"a b\\x0a\"\nbegin\n");
  REQUIRE(operations.size() == 2);
  CHECK(operations[0].path == "a b\n");
  CHECK(operations[1].kind == Operation::Kind::begin);
}

TEST_CASE("the same seed gives the same operations, another one others", "[stress][generator]") {
  CHECK(generate(7, Model(), 200) == generate(7, Model(), 200));
  CHECK(generate(7, Model(), 200) != generate(8, Model(), 200));
}

TEST_CASE("generated sequences hold every kind of operation, and each call both succeeds and fails",
          "[stress][generator]") {
  std::set<Operation::Kind> kinds;
  std::set<Operation::Kind> succeeded;
  std::set<Operation::Kind> failed;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Model model;
    for (const Operation& operation : generate(seed, model, 100)) {
      kinds.insert(operation.kind);
      if (is_call(operation.kind)) (apply(operation, model).error ? failed : succeeded).insert(operation.kind);
    }
  }
  for (int kind = 0; kind <= static_cast<int>(Operation::Kind::diff); ++kind) {
    CAPTURE(kind);
    CHECK(kinds.contains(static_cast<Operation::Kind>(kind)));
    if (!is_call(static_cast<Operation::Kind>(kind))) continue;
    CHECK(succeeded.contains(static_cast<Operation::Kind>(kind)));
    const bool is_many =
        kind == static_cast<int>(Operation::Kind::fill) || kind == static_cast<int>(Operation::Kind::thin);
    CHECK(failed.contains(static_cast<Operation::Kind>(kind)) != is_many);
  }
}

TEST_CASE("generated calls meet every error that a tree in memory can give", "[stress][generator]") {
  using packfs::ErrorCode;
  std::set<ErrorCode> errors;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Model model;
    for (const Operation& operation : generate(seed, model, 100)) {
      if (!is_call(operation.kind)) continue;
      if (const auto error = apply(operation, model).error) errors.insert(*error);
    }
  }
  const std::set<ErrorCode> all{ErrorCode::escapes_root,   ErrorCode::not_permitted, ErrorCode::no_entry,
                                ErrorCode::busy,           ErrorCode::exists,        ErrorCode::not_a_directory,
                                ErrorCode::is_a_directory, ErrorCode::invalid,       ErrorCode::too_large,
                                ErrorCode::name_too_long,  ErrorCode::not_empty,     ErrorCode::symlink_loop,
                                ErrorCode::no_data};
  CHECK(errors == all);
}
