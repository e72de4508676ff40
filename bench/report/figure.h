#pragma once

#include <string>

#include "report/spread.h"

namespace packfs::bench {

/// A figure for people: "5.31 M/s", "3.20 GB/s", "1.05 ms", "118 B".
[[nodiscard]] std::string figure_text(double value, Measure measure);
/// "1.52 (1.40–1.60)"; without a range when there is one sample only.
[[nodiscard]] std::string ratio_text(const Spread& ratio);
/// "5.31 M/s (5.10–5.40)".
[[nodiscard]] std::string spread_text(const Spread& spread, Measure measure);
/// "≥ 1.5", "≤ 1.3", "0.9 to 1.1", "–". In the row's measure when there is no peer.
[[nodiscard]] std::string bounds_text(const Comparison& comparison, Measure measure);

}  // namespace packfs::bench
