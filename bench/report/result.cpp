#include "report/result.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace packfs::bench {

namespace {

const char* field_of(Measure measure) {
  switch (measure) {
    case Measure::entries_per_second:
      return "items_per_second";
    case Measure::bytes_per_second:
      return "bytes_per_second";
    case Measure::job_milliseconds:
    case Measure::milliseconds:
    case Measure::bytes:
      return "real_time";
  }
  return "";
}

/// The samples of `row` in order of the rounds.
void collect(const nlohmann::json& benchmarks, Row& row) {
  std::map<std::string, std::map<int, double>> by_round;
  for (const nlohmann::json& run : benchmarks) {
    if (run.at("row") != row.heading.id) continue;
    const auto arm = run.at("arm").get<std::string>();
    if (run.value("error_occurred", false)) {
      throw std::runtime_error(row.heading.id + ", " + arm + ": " + run.value("error_message", "failed"));
    }
    by_round[arm][run.at("repetition_index").get<int>()] = run.at(field_of(row.heading.measure)).get<double>();
  }
  for (const auto& [arm, rounds] : by_round) {
    for (const auto& [round, value] : rounds) row.samples[arm].push_back(value);
  }
}

}  // namespace

RunResult parse_result(std::string_view text) {
  const auto json = nlohmann::json::parse(text);
  RunResult result;
  json.at("facts").get_to(result.facts);
  for (const nlohmann::json& each : json.at("rows")) {
    Row row{.heading = each.get<RowHeading>(), .samples = {}};
    if (each.contains("sizes")) {
      for (const auto& [arm, bytes] : each["sizes"].items()) row.samples[arm] = {bytes.get<double>()};
    } else {
      collect(json.at("benchmarks"), row);
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

void merge(RunResult& result, RunResult more) {
  for (const auto& [name, value] : more.facts) {
    std::string& known = result.facts[name];
    if (known.empty()) {
      known = value;
    } else if (!known.contains(value)) {
      known += "; " + value;
    }
  }
  for (Row& row : more.rows) result.rows.push_back(std::move(row));
}

}  // namespace packfs::bench
