#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/row.h"

namespace packfs::bench {

/// What one run of the benchmarks left: facts about the machine and its rows.
struct RunResult {
  Facts facts;
  std::vector<Row> rows;
};

/// Reads a result file: {"facts": ..., "rows": [heading, with "sizes" where nothing was timed], "benchmarks": [the
/// objects of Google Benchmark, each with "row", "arm" and the round as its repetition_index]}.
/// Throws nlohmann::json::exception when it is not one, std::runtime_error when a measured arm reports an error.
[[nodiscard]] RunResult parse_result(std::string_view text);

/// Appends another group's rows. A fact that differs between groups keeps both values.
void merge(RunResult& result, RunResult more);

}  // namespace packfs::bench
