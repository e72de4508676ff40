#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/row.h"
#include "settings.h"

namespace packfs::bench {

/// One contender of a row. The body loops over the state, sets its items or bytes, and is run in every round.
struct Arm {
  std::string name;  ///< without '/'
  std::function<void(benchmark::State&)> body;
  std::int64_t iterations = 0;  ///< in a round; 0: as many as fill Settings::min_seconds
  bool manual_time = false;     ///< the body calls SetIterationTime
};

/// Runs the arms of rows through Google Benchmark and keeps what it reports.
class Recorder {
 public:
  explicit Recorder(const Settings& settings);

  /// Runs every round: in each, all arms once in a random order.
  void measure(const RowHeading& heading, const std::vector<Arm>& arms);
  /// A row of sizes in bytes, by arm.
  void record(const RowHeading& heading, const std::map<std::string, double>& sizes);
  /// Something that holds for the whole run.
  void state_fact(const std::string& name, const std::string& value);

  /// Writes the result as parse_result() reads it.
  void save(const std::string& path) const;

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

 private:
  void run_round(const RowHeading& heading, unsigned round);

  Settings settings_;
  nlohmann::json result_;
};

}  // namespace packfs::bench
