#pragma once

#include "packfs/error.h"

namespace packfs::volume {

/// Where the commits of a volume come from when another process makes them. Threads: one at a time.
class Follower {
 public:
  Follower() = default;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  virtual ~Follower() = default;

  /// Shows readers what was committed since the last call; false when nothing was. When it fails, they see what they
  /// saw before.
  virtual Result<bool> follow() = 0;
};

}  // namespace packfs::volume
