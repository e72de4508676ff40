#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/row.h"

namespace packfs::bench {

/// The middle of some samples and how far they reach.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// `samples` has at least one; of an even number the median is the mean of the two in the middle.
[[nodiscard]] Spread spread_of(std::vector<double> samples);

/// One by the other, round by round: paired, so that what slowed both in one round cancels out. As many as both have.
[[nodiscard]] std::vector<double> paired_ratios(std::span<const double> numerators,
                                                std::span<const double> denominators);

/// One line of the table, worked out.
struct Line {
  Spread subject;
  std::optional<Spread> peer;
  Spread value;                 ///< what the bounds are about: the ratio, or without a peer the subject itself
  std::optional<bool> reached;  ///< the median keeps the bounds; nothing when there are none
};

/// Nothing when an arm was not measured (its program is missing on this machine).
[[nodiscard]] std::optional<Line> line_of(const Row& row, const Comparison& comparison);

}  // namespace packfs::bench
