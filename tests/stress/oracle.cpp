#include "stress/oracle.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "stress/generator.h"

namespace packfs::stress {

namespace {

std::optional<Mismatch> run_unguarded(const Setting& setting, const std::vector<Operation>& operations,
                                      const Closeness& closeness, std::size_t& step) {
  Run run(setting, closeness);
  for (step = 0; step < operations.size(); ++step) {
    if (auto complaint = run.step(operations[step])) return Mismatch{step, std::move(*complaint)};
  }
  if (auto complaint = run.finish()) return Mismatch{step, std::move(*complaint)};
  return std::nullopt;
}

std::vector<Operation> without(const std::vector<Operation>& operations, std::size_t begin, std::size_t length) {
  std::vector<Operation> rest = operations;
  const auto first = rest.begin() + static_cast<std::ptrdiff_t>(begin);
  rest.erase(first, first + static_cast<std::ptrdiff_t>(std::min(length, operations.size() - begin)));
  return rest;
}

}  // namespace

std::optional<Mismatch> run_sequence(const Setting& setting, const std::vector<Operation>& operations,
                                     const Closeness& closeness) {
  std::size_t step = 0;
  try {
    return run_unguarded(setting, operations, closeness, step);
  } catch (const std::exception& exception) {
    return Mismatch{step, std::string("exception: ") + exception.what()};
  }
}

std::vector<Operation> shrink(const Setting& setting, std::vector<Operation> operations, const Closeness& closeness,
                              std::size_t max_runs) {
  // Seen at the operation that did it, a mismatch needs none of those behind it.
  Closeness closest = closeness;
  closest.whole_state_every = 1;
  closest.held_every = 1;
  if (!run_sequence(setting, operations, closest)) closest = closeness;
  std::size_t runs = 0;
  std::size_t chunk = std::max<std::size_t>(operations.size() / 2, 1);
  while (runs < max_runs) {
    bool is_shorter = false;
    for (std::size_t at = 0; at < operations.size() && runs < max_runs;) {
      auto rest = without(operations, at, chunk);
      ++runs;
      if (run_sequence(setting, rest, closest)) {
        operations = std::move(rest);
        is_shorter = true;
      } else {
        at += chunk;
      }
    }
    if (chunk == 1 && !is_shorter) break;
    chunk = std::max<std::size_t>(chunk / 2, 1);
  }
  return operations;
}

std::optional<std::string> try_sequence(const Setting& setting, std::uint64_t seed, std::size_t length,
                                        const Closeness& closeness) {
  auto operations = generate(seed, setting.start, length);
  const auto mismatch = run_sequence(setting, operations, closeness);
  if (!mismatch) return std::nullopt;
  operations.resize(std::min(operations.size(), mismatch->step + 1));
  const auto shrunk = shrink(setting, std::move(operations), closeness);
  const auto last = run_sequence(setting, shrunk, {.whole_state_every = 1, .held_every = 1, .counters = true});
  std::string text = "on " + setting.name + ", sequence seed " + std::to_string(seed) + ", operation " +
                     std::to_string(mismatch->step) + ": " + mismatch->complaint + "\n";
  text += "after shrinking, operation " + (last ? std::to_string(last->step) + ": " + last->complaint : "?") + "\n";
  for (const Operation& operation : shrunk) text += to_text(operation) + "\n";
  return text;
}

}  // namespace packfs::stress
