#include "cli/time_text.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "support/seed.h"

namespace {

using packfs::cli::iso_nanoseconds;
using packfs::cli::iso_seconds;

std::string of(std::int64_t seconds) { return iso_seconds({.seconds = seconds, .nanoseconds = 0}); }

TEST_CASE("times are shown in ISO 8601", "[cli][time]") {
  CHECK(of(0) == "1970-01-01T00:00:00Z");
  CHECK(of(-1) == "1969-12-31T23:59:59Z");
  CHECK(of(951782399) == "2000-02-28T23:59:59Z");
  CHECK(of(951782400) == "2000-02-29T00:00:00Z");
  CHECK(of(4107542399) == "2100-02-28T23:59:59Z");
  CHECK(of(4107542400) == "2100-03-01T00:00:00Z");
  CHECK(iso_nanoseconds({.seconds = 1, .nanoseconds = 5}) == "1970-01-01T00:00:01.000000005Z");
  CHECK(iso_nanoseconds({.seconds = -1, .nanoseconds = 999999999}) == "1969-12-31T23:59:59.999999999Z");
}

TEST_CASE("years beyond four digits carry a sign, to both ends of 64 bits", "[cli][time]") {
  CHECK(of(253402300799) == "9999-12-31T23:59:59Z");
  CHECK(of(253402300800) == "+10000-01-01T00:00:00Z");
  CHECK(of(-62167219200) == "0000-01-01T00:00:00Z");
  CHECK(of(-62167219201) == "-0001-12-31T23:59:59Z");
  CHECK(of(std::numeric_limits<std::int64_t>::max()) == "+292277026596-12-04T15:30:07Z");
  CHECK(of(std::numeric_limits<std::int64_t>::min()) == "-292277022657-01-27T08:29:52Z");
}

TEST_CASE("times agree with gmtime", "[cli][time]") {
  std::mt19937_64 random(packfs::testing::test_seed());
  std::uniform_int_distribution<std::int64_t> seconds(-62167219200, 253402300799);
  for (int i = 0; i < 10000; ++i) {
    const std::time_t time = seconds(random);
    std::tm parts{};
    REQUIRE(gmtime_r(&time, &parts) != nullptr);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    REQUIRE(of(time) == text);
  }
}

}  // namespace
