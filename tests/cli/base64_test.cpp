#include "cli/base64.h"

#include <catch2/catch.hpp>

#include "base/bytes.h"

namespace {

std::string encoded(std::string_view text) { return packfs::cli::base64(packfs::base::as_bytes(text)); }

TEST_CASE("base64 of the RFC's examples", "[cli][base64]") {
  CHECK(encoded("").empty());
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foob") == "Zm9vYg==");
  CHECK(encoded("fooba") == "Zm9vYmE=");
  CHECK(encoded("foobar") == "Zm9vYmFy");
  CHECK(encoded("\xfb\xff\xfe") == "+//+");
}

}  // namespace
