#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stress/operation.h"
#include "stress/run.h"

namespace packfs::stress {

/// Where a volume and its model parted.
struct Mismatch {
  std::size_t step = 0;  ///< index of the operation; their number for what was seen at the end
  std::string complaint;
};

/// Runs the operations on a new volume of `setting`. An exception is a mismatch too.
[[nodiscard]] std::optional<Mismatch> run_sequence(const Setting& setting, const std::vector<Operation>& operations,
                                                   const Closeness& closeness = {});

/// Leaves out operations as long as some mismatch remains, larger chunks first, in at most `max_runs` runs
/// (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002). `operations` must fail.
[[nodiscard]] std::vector<Operation> shrink(const Setting& setting, std::vector<Operation> operations,
                                            const Closeness& closeness, std::size_t max_runs = 3000);

/// Runs, and on a mismatch shrinks: the text tells setting, seed, complaint and the operations that are left, which
/// operations_from_text() reads. Nothing when volume and model agree.
[[nodiscard]] std::optional<std::string> try_sequence(const Setting& setting, std::uint64_t seed, std::size_t length,
                                                      const Closeness& closeness = {});

}  // namespace packfs::stress
