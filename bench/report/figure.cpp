#include "report/figure.h"

#include <array>
#include <cstdio>

namespace packfs::bench {

namespace {

/// Three digits, or all of those before the point.
std::string digits(double value) {
  std::array<char, 32> text{};
  const int behind = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f", behind, value);
  return text.data();
}

struct Scale {
  double unit = 1;
  const char* name = "";
};

Scale scale_of(double value, Measure measure) {
  switch (measure) {
    case Measure::entries_per_second:
      return value >= 1e6 ? Scale{1e6, " M/s"} : Scale{1e3, " k/s"};
    case Measure::bytes_per_second:
      return value >= 1e9 ? Scale{1e9, " GB/s"} : Scale{1e6, " MB/s"};
    case Measure::job_milliseconds:
    case Measure::milliseconds:
      if (value < 1e-3) return {1e-6, " ns"};
      if (value < 1) return {1e-3, " µs"};
      return {1, " ms"};
    case Measure::bytes:
      return value >= 1e6 ? Scale{1e6, " MB"} : Scale{1, " B"};
  }
  return {};
}

std::string with_range(const Spread& spread, const Scale& scale) {
  std::string text = digits(spread.median / scale.unit) + scale.name;
  if (spread.low == spread.high) return text;
  return text + " (" + digits(spread.low / scale.unit) + "–" + digits(spread.high / scale.unit) + ")";
}

/// As few digits as say it: a bound is a round number.
std::string bound(double value, const Comparison& comparison, Measure measure) {
  if (comparison.peer.empty()) return figure_text(value, measure);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

}  // namespace

std::string figure_text(double value, Measure measure) {
  const Scale scale = scale_of(value, measure);
  return digits(value / scale.unit) + scale.name;
}

std::string ratio_text(const Spread& ratio) { return with_range(ratio, {}); }

std::string spread_text(const Spread& spread, Measure measure) {
  return with_range(spread, scale_of(spread.median, measure));
}

std::string bounds_text(const Comparison& comparison, Measure measure) {
  const auto& [subject, peer, at_least, at_most] = comparison;
  if (at_least && at_most) {
    return bound(*at_least, comparison, measure) + " to " + bound(*at_most, comparison, measure);
  }
  if (at_least) return "≥ " + bound(*at_least, comparison, measure);
  if (at_most) return "≤ " + bound(*at_most, comparison, measure);
  return "–";
}

}  // namespace packfs::bench
