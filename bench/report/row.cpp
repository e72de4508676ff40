#include "report/row.h"

#include <nlohmann/json.hpp>

namespace packfs::bench {

NLOHMANN_JSON_SERIALIZE_ENUM(Measure, {{Measure::entries_per_second, "entries per second"},
                                       {Measure::bytes_per_second, "bytes per second"},
                                       {Measure::job_milliseconds, "milliseconds of a job"},
                                       {Measure::milliseconds, "milliseconds"},
                                       {Measure::bytes, "bytes"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conditions, compression, xattrs, memory, filesystem)

static void to_json(nlohmann::json& json, const Comparison& comparison) {
  json = {{"subject", comparison.subject}, {"peer", comparison.peer}};
  if (comparison.at_least) json["at_least"] = *comparison.at_least;
  if (comparison.at_most) json["at_most"] = *comparison.at_most;
}

static void from_json(const nlohmann::json& json, Comparison& comparison) {
  json.at("subject").get_to(comparison.subject);
  json.at("peer").get_to(comparison.peer);
  if (json.contains("at_least")) comparison.at_least = json["at_least"].get<double>();
  if (json.contains("at_most")) comparison.at_most = json["at_most"].get<double>();
}

void to_json(nlohmann::json& json, const RowHeading& heading) {
  json = {{"id", heading.id},           {"operation", heading.operation},   {"workload", heading.workload},
          {"measure", heading.measure}, {"conditions", heading.conditions}, {"comparisons", heading.comparisons}};
}

void from_json(const nlohmann::json& json, RowHeading& heading) {
  json.at("id").get_to(heading.id);
  json.at("operation").get_to(heading.operation);
  json.at("workload").get_to(heading.workload);
  json.at("measure").get_to(heading.measure);
  json.at("conditions").get_to(heading.conditions);
  json.at("comparisons").get_to(heading.comparisons);
}

}  // namespace packfs::bench
