#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packfs/volume.h"
#include "stress/model.h"
#include "support/crash_disk.h"
#include "support/fault_io.h"

// One I/O call after another fails, in one way after another, while something is done to a store on a disk in memory.
namespace packfs::testing {

/// A way in which the n-th call fails.
struct IoFault {
  int error_number = 0;         ///< 0: it is a short write alone
  bool for_ever = false;        ///< that call and all after it
  std::size_t short_bytes = 0;  ///< a write of so many bytes comes first; 0: none
  const char* call = "";        ///< only calls of this name; "": any

  /// There is room, or a descriptor, or there is none: nothing else is wrong, so that the next call may succeed.
  [[nodiscard]] bool is_want() const noexcept { return error_number == ENOSPC || error_number == EMFILE; }
  [[nodiscard]] std::string text() const;
};

/// All ways. EINTR comes from calls that give it before anything was done; a call that would for ever is none.
[[nodiscard]] const std::vector<IoFault>& io_faults();

/// Lets the `n`-th call from now on fail so.
void arm(FaultIo& io, const IoFault& fault, std::uint64_t n);

/// What is wrong with an error that came of the fault: it must be the host's own, with a path, or say poisoned, with
/// path and reason.
[[nodiscard]] std::string unclear(const Error& error, const IoFault& fault);

/// Whether a call failed after which nobody knows what the disk holds, whatever the error: a sync, or the renaming of
/// the manifest.
[[nodiscard]] bool struck_for_good(const FaultIo& io);

inline constexpr const char* kFaultStore = "/store";
[[nodiscard]] Result<Volume> open_on(base::Io& io, std::uint64_t segment_bytes, bool read_only = false);

/// What differs between a store and a model.
[[nodiscard]] std::string difference(const Writable& volume, const stress::Model& model);
/// The same of the store as the next process finds it, and whether a check finds damage.
[[nodiscard]] std::string difference_reopened(base::Io& disk, const stress::Model& model);

}  // namespace packfs::testing
