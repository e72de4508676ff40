#pragma once

#include <string>

#include "settings.h"

namespace packfs::bench {

/// A directory for stores that sync, which stay beside each other until all is measured: what removing one costs
/// (filesystem journal, discards) would be paid by whoever syncs next.
class DurablePlace {
 public:
  /// `directory` is made anew, and removed in the end.
  explicit DurablePlace(std::string directory);
  /// A directory in the work directory. Ends the program where that lies in memory, but for a smoke run: no sync there
  /// waits for anything.
  explicit DurablePlace(const Settings& settings);
  ~DurablePlace();
  DurablePlace(const DurablePlace&) = delete;
  DurablePlace& operator=(const DurablePlace&) = delete;

  /// A path where nothing lies, another each time.
  [[nodiscard]] std::string next();
  /// Waits until all that was written to the filesystem is on the disk, so that no sync that is timed pays for it.
  void settle() const;
  /// For the record: where it is.
  [[nodiscard]] std::string description() const;

 private:
  std::string directory_;
  unsigned count_ = 0;
};

}  // namespace packfs::bench
