#include "report/page.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "report/figure.h"
#include "report/spread.h"

namespace packfs::bench {

namespace {

using Cells = std::vector<std::string>;

/// Characters, of which UTF-8 spells some with several bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A Markdown table whose first line is its head, padded so that it reads well as text too.
std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  const auto add = [&](const Cells& line, char fill) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += "| " + line[i] + std::string(widths[i] - width_of(line[i]), fill) + ' ';
    }
    text += "|\n";
  };
  add(lines.front(), ' ');
  add(Cells(widths.size()), '-');
  for (std::size_t i = 1; i < lines.size(); ++i) add(lines[i], ' ');
  return text;
}

std::string peer_text(const Comparison& comparison, const Line& line, Measure measure) {
  if (!line.peer) return "–";
  return comparison.peer + ": " + spread_text(*line.peer, measure);
}

Cells cells_of(const Row& row, const Comparison& comparison) {
  const RowHeading& heading = row.heading;
  const std::optional<Line> line = line_of(row, comparison);
  Cells cells{heading.operation, heading.workload};
  if (!line) {
    cells.insert(cells.end(), {comparison.subject, comparison.peer, "not measured here", "–", "–"});
    return cells;
  }
  cells.push_back(comparison.subject + ": " + spread_text(line->subject, heading.measure));
  cells.push_back(peer_text(comparison, *line, heading.measure));
  cells.push_back(line->peer ? ratio_text(line->value) : "–");
  cells.push_back(bounds_text(comparison, heading.measure));
  cells.push_back(!line->reached ? "–" : *line->reached ? "yes" : "**no**");
  return cells;
}

std::string conditions_of(const RunResult& result) {
  std::vector<Cells> lines{{"operation", "workload", "compression", "extended attributes", "memory", "files lie on"}};
  for (const Row& row : result.rows) {
    const auto& [compression, xattrs, memory, filesystem] = row.heading.conditions;
    lines.push_back({row.heading.operation, row.heading.workload, compression, xattrs, memory, filesystem});
  }
  return aligned(lines);
}

constexpr std::string_view kIntroduction = R"(# Measured

`make bench` wrote this page from its result; only the notes at its end are kept by hand (`bench/notes.md`).

)";

constexpr std::string_view kMethod =
    R"(Every figure is the median of all rounds, with the least and the greatest in parentheses. A ratio is taken round by
round, then its median and range: of rates, sizes and latencies the subject by the peer, of the times of whole jobs the
peer by the subject. In each round every arm of a row runs once, in an order drawn anew (Google Benchmark's random
interleaving). Before anything is timed, every arm has returned the same names, attributes and bytes. All arms look up
the same paths in the same random order. A store that was made durable is closed after it was timed, and opened again:
it must have every file with its content, and nothing else. Each group of rows runs in a process of its own.
)";

}  // namespace

std::string table_of(const RunResult& result) {
  std::vector<Cells> lines{{"operation", "workload", "subject", "peer", "ratio", "target", "reached"}};
  for (const Row& row : result.rows) {
    for (const Comparison& comparison : row.heading.comparisons) lines.push_back(cells_of(row, comparison));
  }
  return aligned(lines);
}

std::string page_of(const RunResult& result, std::string_view notes) {
  std::string page(kIntroduction);
  page += "## Machine and versions\n\n";
  std::vector<Cells> facts{{"what", "value"}};
  for (const auto& [name, value] : result.facts) facts.push_back({name, value});
  page += aligned(facts) + "\n## Method\n\n" + std::string(kMethod) + "\n## Results\n\n" + table_of(result);
  page += "\n## Conditions\n\n" + conditions_of(result) + "\n";
  page += notes;
  return page;
}

}  // namespace packfs::bench
