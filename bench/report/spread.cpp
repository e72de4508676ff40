#include "report/spread.h"

#include <algorithm>
#include <cstddef>

namespace packfs::bench {

Spread spread_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  const double upper = samples[middle];
  const double median = samples.size() % 2 == 1 ? upper : (samples[middle - 1] + upper) / 2;
  return {.median = median, .low = samples.front(), .high = samples.back()};
}

std::vector<double> paired_ratios(std::span<const double> numerators, std::span<const double> denominators) {
  std::vector<double> ratios;
  const std::size_t rounds = std::min(numerators.size(), denominators.size());
  ratios.reserve(rounds);
  for (std::size_t round = 0; round < rounds; ++round) ratios.push_back(numerators[round] / denominators[round]);
  return ratios;
}

std::optional<Line> line_of(const Row& row, const Comparison& comparison) {
  const auto subject = row.samples.find(comparison.subject);
  if (subject == row.samples.end()) return std::nullopt;
  Line line;
  line.subject = spread_of(subject->second);
  line.value = line.subject;
  if (!comparison.peer.empty()) {
    const auto peer = row.samples.find(comparison.peer);
    if (peer == row.samples.end()) return std::nullopt;
    line.peer = spread_of(peer->second);
    const bool is_job = row.heading.measure == Measure::job_milliseconds;
    line.value =
        spread_of(is_job ? paired_ratios(peer->second, subject->second) : paired_ratios(subject->second, peer->second));
  }
  if (comparison.at_least || comparison.at_most) {
    line.reached = (!comparison.at_least || line.value.median >= *comparison.at_least) &&
                   (!comparison.at_most || line.value.median <= *comparison.at_most);
  }
  return line;
}

}  // namespace packfs::bench
