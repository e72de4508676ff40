#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace packfs::bench {

/// What a row measures, and so which way a ratio between two of its arms counts.
enum class Measure {
  entries_per_second,  ///< ratio: the subject's rate by the peer's
  bytes_per_second,    ///< likewise
  job_milliseconds,    ///< of a whole job; ratio: the peer's time by the subject's, so that more is better
  milliseconds,        ///< ratio: the subject's time by the peer's
  bytes,               ///< ratio: the subject's size by the peer's; one sample
};

/// One line of the table: a subject against a peer, or (peer empty) against a fixed bound in the row's measure.
struct Comparison {
  std::string subject;
  std::string peer;
  std::optional<double> at_least;  ///< without bounds the line only informs
  std::optional<double> at_most;
};

/// The state in which a row was measured; each a phrase for the record.
struct Conditions {
  std::string compression;
  std::string xattrs;
  std::string memory;      ///< caches and recycled memory
  std::string filesystem;  ///< where host files, packs and databases lay
};

/// What is measured: all that the report needs to know of a row, so that a result explains itself.
struct RowHeading {
  std::string id;  ///< without '/' and spaces
  std::string operation;
  std::string workload;
  Measure measure = Measure::entries_per_second;
  Conditions conditions;
  std::vector<Comparison> comparisons;
};

/// A row with what came out: for each arm its samples in order of the rounds.
struct Row {
  RowHeading heading;
  std::map<std::string, std::vector<double>> samples;
};

/// Values that vary less than names: what machine, which versions, how many rounds.
using Facts = std::map<std::string, std::string>;

void to_json(nlohmann::json& json, const RowHeading& heading);
void from_json(const nlohmann::json& json, RowHeading& heading);

}  // namespace packfs::bench
