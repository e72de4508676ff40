#pragma once

#include <cstdint>

#include "log/operation_record.h"
#include "packfs/error.h"

namespace packfs::volume {

/// Where the commits of a volume are written before they count; a store has one, a volume in memory has none.
/// Threads: sync() by one at a time, beside all else; the others by whoever has the turn to write.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  /// All that was committed is synced, and the end marked, if that is still possible.
  virtual ~Journal() = default;

  /// Errors: busy (this is a forked child of the process that opened it); poisoned.
  [[nodiscard]] virtual Result<void> usable() const = 0;
  /// Adds what is about to be done to the open group; the operation may be given a content instead of its bytes, which
  /// is then read from the journal. When it fails, nothing was added.
  virtual Result<void> add(tree::Operation& operation, const log::Setting& setting) = 0;
  /// What was added last did not come to be.
  virtual void take_back() noexcept = 0;
  /// Nothing of the open group will be.
  virtual void drop() noexcept = 0;
  /// Whether what the open group wrote may be seen only once it is durable: contents of it are read from where they
  /// were written.
  [[nodiscard]] virtual bool must_be_durable() const noexcept = 0;
  /// Writes the open group, whole. When it fails, none of it will count.
  virtual Result<void> commit(std::uint64_t number) = 0;
  /// Makes all that was committed before durable; returns the last commit's number.
  virtual Result<std::uint64_t> sync() = 0;
};

}  // namespace packfs::volume
