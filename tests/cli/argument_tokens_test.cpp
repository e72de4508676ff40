#include "cli/argument_tokens.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace {

using packfs::cli::ArgumentTokens;

TEST_CASE("options and the command stay, all else becomes a token that is restored", "[cli][arguments]") {
  const std::vector<std::string_view> arguments{"ls", "-lR", "[a]", "--", "-x", "", "--json"};
  const ArgumentTokens tokens(arguments);
  REQUIRE(tokens.tokens().size() == arguments.size());
  CHECK(tokens.tokens()[0] == "ls");
  CHECK(tokens.tokens()[1] == "-lR");
  CHECK(tokens.tokens()[3] == "--");
  for (const std::size_t i : {2U, 4U, 5U, 6U}) {
    CHECK(ArgumentTokens::is_token(tokens.tokens()[i]));
    CHECK(tokens.restore(tokens.tokens()[i]) == arguments[i]);
  }
  CHECK_FALSE(ArgumentTokens::is_token("-x"));
}

TEST_CASE("tokens inside a longer text are restored too", "[cli][arguments]") {
  const std::vector<std::string_view> arguments{"cat", "one", "two"};
  const ArgumentTokens tokens(arguments);
  CHECK(tokens.restore("no " + tokens.tokens()[2] + " and " + tokens.tokens()[1] + "!") == "no two and one!");
  CHECK(tokens.restore("plain") == "plain");
  CHECK(tokens.restore("").empty());
}

TEST_CASE("a dash alone is an argument", "[cli][arguments]") {
  const std::vector<std::string_view> arguments{"pack", "-o", "-", "dir"};
  const ArgumentTokens tokens(arguments);
  CHECK(tokens.tokens()[1] == "-o");
  CHECK(tokens.restore(tokens.tokens()[2]) == "-");
}

}  // namespace
