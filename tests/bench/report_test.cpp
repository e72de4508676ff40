#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "report/figure.h"
#include "report/page.h"
#include "report/result.h"
#include "report/spread.h"

namespace packfs::bench {

namespace {

nlohmann::json run_of(const std::string& arm, int round, double rate) {
  return {{"row", "read"}, {"arm", arm}, {"repetition_index", round}, {"items_per_second", rate}, {"real_time", 1.0}};
}

/// Two arms over three rounds, those of the second round reported first.
nlohmann::json two_arms() {
  const RowHeading heading{
      .id = "read",
      .operation = "random read",
      .workload = "W",
      .measure = Measure::entries_per_second,
      .conditions = {.compression = "none", .xattrs = "none", .memory = "warm", .filesystem = "ext4"},
      .comparisons = {{.subject = "packfs", .peer = "LMDB", .at_least = 1.5, .at_most = {}}}};
  return {{"facts", {{"kernel", "Linux"}}},
          {"rows", {heading}},
          {"benchmarks",
           {run_of("packfs", 1, 8e6), run_of("LMDB", 1, 4e6), run_of("packfs", 0, 3e6), run_of("LMDB", 0, 1e6),
            run_of("packfs", 2, 4e6), run_of("LMDB", 2, 4e6)}}};
}

}  // namespace

TEST_CASE("the median of an even number of samples lies between the two in the middle", "[bench]") {
  const Spread odd = spread_of({5, 1, 3});
  CHECK(odd.median == 3);
  CHECK(odd.low == 1);
  CHECK(odd.high == 5);
  CHECK(spread_of({4, 1, 2, 9}).median == 3);
  CHECK(spread_of({7}).median == 7);
}

TEST_CASE("ratios are taken round by round, not of the medians", "[bench]") {
  const RunResult result = parse_result(two_arms().dump());
  REQUIRE(result.rows.size() == 1);
  const Row& row = result.rows.front();
  CHECK(row.samples.at("packfs") == std::vector<double>{3e6, 8e6, 4e6});
  CHECK(row.samples.at("LMDB") == std::vector<double>{1e6, 4e6, 4e6});
  const auto line = line_of(row, row.heading.comparisons.front());
  REQUIRE(line.has_value());
  CHECK(line->value.median == 2);  // the medians' ratio would be 1
  CHECK(line->value.low == 1);
  CHECK(line->value.high == 3);
  CHECK(line->reached == true);
}

TEST_CASE("of whole jobs the ratio says how many times as fast", "[bench]") {
  auto json = two_arms();
  json["rows"][0]["measure"] = "milliseconds of a job";
  for (auto& run : json["benchmarks"]) run["real_time"] = run["arm"] == "packfs" ? 2.0 : 3.0;
  RunResult result = parse_result(json.dump());
  Row& row = result.rows.front();
  CHECK(line_of(row, row.heading.comparisons.front())->value.median == 1.5);
  row.heading.measure = Measure::milliseconds;
  CHECK(line_of(row, row.heading.comparisons.front())->value.median == 2.0 / 3.0);
}

TEST_CASE("a bound is kept on both sides, by the median", "[bench]") {
  const RunResult result = parse_result(two_arms().dump());
  const Row& row = result.rows.front();
  const auto reached = [&](std::optional<double> at_least, std::optional<double> at_most) {
    return line_of(row, {.subject = "packfs", .peer = "LMDB", .at_least = at_least, .at_most = at_most})->reached;
  };
  CHECK(reached(2, {}) == true);
  CHECK(reached(2.01, {}) == false);
  CHECK(reached({}, 2) == true);
  CHECK(reached({}, 1.99) == false);
  CHECK(reached(1.9, 2.1) == true);
  CHECK(reached(2.1, 3) == false);
  CHECK_FALSE(reached({}, {}).has_value());
}

TEST_CASE("without a peer the figure itself is held against the bound", "[bench]") {
  const RunResult result = parse_result(two_arms().dump());
  const auto line = line_of(result.rows.front(), {.subject = "packfs", .peer = "", .at_least = 5e6, .at_most = {}});
  REQUIRE(line.has_value());
  CHECK(line->value.median == 4e6);
  CHECK(line->reached == false);
}

TEST_CASE("an arm that was not measured gives a line that says so", "[bench]") {
  auto json = two_arms();
  json["rows"][0]["comparisons"][0]["peer"] = "another";
  const RunResult result = parse_result(json.dump());
  CHECK_FALSE(line_of(result.rows.front(), result.rows.front().heading.comparisons.front()).has_value());
  CHECK(table_of(result).contains("not measured here"));
}

TEST_CASE("sizes need no rounds", "[bench]") {
  auto json = two_arms();
  json["rows"][0]["measure"] = "bytes";
  json["rows"][0]["sizes"] = {{"packfs", 120.5}, {"LMDB", 241}};
  const RunResult result = parse_result(json.dump());
  const auto line = line_of(result.rows.front(), result.rows.front().heading.comparisons.front());
  REQUIRE(line.has_value());
  CHECK(line->subject.median == 120.5);
  CHECK(line->value.median == 0.5);
}

TEST_CASE("a result in which an arm failed is refused", "[bench]") {
  auto json = two_arms();
  json["benchmarks"][0]["error_occurred"] = true;
  json["benchmarks"][0]["error_message"] = "wrong bytes";
  CHECK_THROWS_WITH(parse_result(json.dump()), "read, packfs: wrong bytes");
  CHECK_THROWS_AS(parse_result("{}"), nlohmann::json::exception);
}

TEST_CASE("figures have three digits and their unit", "[bench]") {
  CHECK(figure_text(5.314e6, Measure::entries_per_second) == "5.31 M/s");
  CHECK(figure_text(270e3, Measure::entries_per_second) == "270 k/s");
  CHECK(figure_text(19.24e9, Measure::bytes_per_second) == "19.2 GB/s");
  CHECK(figure_text(1.05, Measure::milliseconds) == "1.05 ms");
  CHECK(figure_text(118.4, Measure::bytes) == "118 B");
  CHECK(ratio_text({.median = 1.52, .low = 1.4, .high = 1.6}) == "1.52 (1.40–1.60)");
  CHECK(ratio_text({.median = 2, .low = 2, .high = 2}) == "2.00");
  const Comparison both{.subject = "a", .peer = "b", .at_least = 0.9, .at_most = 1.1};
  CHECK(bounds_text(both, Measure::milliseconds) == "0.9 to 1.1");
  const Comparison absolute{.subject = "a", .peer = "", .at_least = 3e9, .at_most = {}};
  CHECK(bounds_text(absolute, Measure::bytes_per_second) == "≥ 3.00 GB/s");
}

TEST_CASE("the page holds facts, figures, target, conditions, and the notes as they are", "[bench]") {
  const std::string notes = "## Notes\n\nA correction.\n";
  const std::string page = page_of(parse_result(two_arms().dump()), notes);
  CHECK(page.contains("Linux"));
  CHECK(
      page.contains("| random read | W        | packfs: 4.00 M/s (3.00–8.00) | LMDB: 4.00 M/s (1.00–4.00) |"
                    " 2.00 (1.00–3.00) | ≥ 1.5  | yes     |"));
  CHECK(page.contains("warm"));
  CHECK(page.ends_with(notes));
}

TEST_CASE("groups of rows are put together in order", "[bench]") {
  RunResult result = parse_result(two_arms().dump());
  auto other = two_arms();
  other["rows"][0]["id"] = "stat";
  other["rows"][0]["operation"] = "stat";
  other["benchmarks"] = nlohmann::json::array();
  merge(result, parse_result(other.dump()));
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows.front().heading.operation == "random read");
  CHECK(result.rows.back().heading.operation == "stat");
}

TEST_CASE("a fact that differs between groups keeps both values", "[bench]") {
  RunResult result{.facts = {{"commit", "a1"}, {"kernel", "Linux"}}, .rows = {}};
  merge(result, {.facts = {{"commit", "b2"}, {"kernel", "Linux"}, {"tar", "1.34"}}, .rows = {}});
  merge(result, {.facts = {{"commit", "a1"}}, .rows = {}});
  CHECK(result.facts == Facts{{"commit", "a1; b2"}, {"kernel", "Linux"}, {"tar", "1.34"}});
}

}  // namespace packfs::bench
