#include "recorder.h"

#include <fstream>
#include <memory>
#include <sstream>

#include "check.h"

namespace packfs::bench {

namespace {

/// "ROW/ARM/iterations:1/real_time": the second part.
std::string arm_of(const std::string& run_name) {
  const std::size_t begin = run_name.find('/') + 1;
  return run_name.substr(begin, run_name.find('/', begin) - begin);
}

/// An arm as Google Benchmark runs it. Not benchmark::RegisterBenchmark: clang's analyzer sees a leak in it.
class ArmBenchmark final : public benchmark::Fixture {
 public:
  ArmBenchmark(const std::string& name, const Arm& arm) : body_(arm.body) { SetName(name.c_str()); }

 protected:
  void BenchmarkCase(benchmark::State& state) override {  // NOLINT(readability-identifier-naming): the base's name
    body_(state);
  }

 private:
  std::function<void(benchmark::State&)> body_;
};

void register_arm(const RowHeading& heading, const Arm& arm, const Settings& settings) {
  auto owned = std::make_unique<ArmBenchmark>(heading.id + "/" + arm.name, arm);
  auto* registered = benchmark::internal::RegisterBenchmarkInternal(owned.release());
  registered->Unit(benchmark::kMillisecond);
  if (arm.manual_time) {
    registered->UseManualTime();
  } else {
    registered->UseRealTime();
  }
  if (arm.iterations != 0) {
    registered->Iterations(arm.iterations);
  } else {
    registered->MinTime(settings.min_seconds);
  }
}

}  // namespace

Recorder::Recorder(const Settings& settings)
    : settings_(settings),
      result_({{"facts", nlohmann::json::object()},
               {"rows", nlohmann::json::array()},
               {"benchmarks", nlohmann::json::array()}}) {}

void Recorder::measure(const RowHeading& heading, const std::vector<Arm>& arms) {
  std::fprintf(stderr, "%s\n", heading.id.c_str());
  for (const Arm& arm : arms) register_arm(heading, arm, settings_);
  for (unsigned round = 0; round < settings_.rounds; ++round) run_round(heading, round);
  benchmark::ClearRegisteredBenchmarks();
  result_["rows"].push_back(heading);
}

void Recorder::run_round(const RowHeading& heading, unsigned round) {
  std::ostringstream text;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.SetErrorStream(&text);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const auto json = nlohmann::json::parse(text.str());
  for (nlohmann::json run : json.at("benchmarks")) {
    run["row"] = heading.id;
    run["arm"] = arm_of(run.at("run_name").get<std::string>());
    run["repetition_index"] = round;
    run["repetitions"] = settings_.rounds;
    if (run.value("error_occurred", false)) {
      fail(run["run_name"].get<std::string>() + ": " + run.value("error_message", ""));
    }
    result_["benchmarks"].push_back(std::move(run));
  }
  result_["context"] = json.at("context");
}

void Recorder::record(const RowHeading& heading, const std::map<std::string, double>& sizes) {
  nlohmann::json row = heading;
  row["sizes"] = sizes;
  result_["rows"].push_back(std::move(row));
}

void Recorder::state_fact(const std::string& name, const std::string& value) { result_["facts"][name] = value; }

void Recorder::save(const std::string& path) const {
  std::ofstream file(path);
  file << result_.dump(1) << "\n";
  if (!file.flush()) fail("cannot write " + path);
}

}  // namespace packfs::bench
