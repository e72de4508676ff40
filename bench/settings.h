#pragma once

#include <string>

namespace packfs::bench {

/// How this run measures. Taken from the environment once.
struct Settings {
  bool smoke = false;        ///< PACKFS_BENCH_SMOKE=1: small data, one round: shows that it works, measures nothing
  unsigned rounds = 7;       ///< PACKFS_BENCH_ROUNDS, at least 5: how often each arm of a row runs
  double min_seconds = 0.1;  ///< how long an arm runs in one round
  std::string directory;     ///< PACKFS_BENCH_DIR, or build/bench-work: packs, databases, trees, images
  std::string programs;      ///< where the child programs lie: beside this program

  static Settings from_environment();

  /// `full`, or a twentieth of it in a smoke run.
  [[nodiscard]] unsigned scaled(unsigned full) const { return smoke ? full / 20 : full; }
};

}  // namespace packfs::bench
