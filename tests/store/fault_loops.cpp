#include "store/fault_loops.h"

#include <algorithm>

#include "store/check.h"
#include "store/store.h"
#include "stress/compare.h"
#include "stress/sanitized.h"

namespace packfs::testing {

std::string IoFault::text() const {
  std::string text = error_number == 0 ? "a short write" : std::strerror(error_number);
  if (short_bytes != 0 && error_number != 0) text += " behind a short write";
  if (*call != '\0') text += std::string(" of ") + call;
  return for_ever ? text + ", for ever" : text;
}

const std::vector<IoFault>& io_faults() {
  // Each takes many times longer under a sanitizer.
  static const std::vector<IoFault> few{{.error_number = EIO},
                                        {.error_number = ENOSPC},
                                        {.error_number = EMFILE, .for_ever = true},
                                        {.error_number = ENOSPC, .short_bytes = 40, .call = "pwrite"}};
  static const std::vector<IoFault> all{
      {.error_number = EIO},
      {.error_number = EIO, .for_ever = true},
      {.error_number = ENOSPC},
      {.error_number = ENOSPC, .for_ever = true},
      {.error_number = EMFILE},
      {.error_number = EMFILE, .for_ever = true},
      {.short_bytes = 7, .call = "pwrite"},
      {.for_ever = true, .short_bytes = 7, .call = "pwrite"},
      {.error_number = ENOSPC, .short_bytes = 40, .call = "pwrite"},
      {.error_number = EIO, .short_bytes = 40, .call = "pwrite"},
      {.error_number = EINTR, .call = "pwrite"},
      {.error_number = EINTR, .call = "pread"},
      {.error_number = EINTR, .call = "fallocate"},
      {.error_number = EINTR, .for_ever = true, .call = "fallocate"},
      {.error_number = EINTR, .call = "openat"},
      {.error_number = EINTR, .call = "fdatasync"},
  };
  return stress::kIsSanitized ? few : all;
}

void arm(FaultIo& io, const IoFault& fault, std::uint64_t n) {
  if (fault.short_bytes != 0) {
    io.shorten({.call = "pwrite", .nth = n, .for_ever = fault.for_ever && fault.error_number == 0}, fault.short_bytes);
    ++n;
  }
  if (fault.error_number != 0) io.fail({.call = fault.call, .nth = n, .for_ever = fault.for_ever}, fault.error_number);
}

std::string unclear(const Error& error, const IoFault& fault) {
  const std::string message = error.message();
  if (error.path().empty()) return "names no path: " + message;
  if (error.code() == Error::from_errno(fault.error_number).code()) return "";
  if (error.code() == ErrorCode::poisoned && message.find(std::strerror(fault.error_number)) != std::string::npos) {
    return "";
  }
  return "does not say what happened: " + message;
}

bool struck_for_good(const FaultIo& io) {
  return std::ranges::any_of(io.log(), [](const FaultIo::Call& call) {
    return call.injected && (call.name == "fdatasync" || call.name == "fsync" || call.name == "renameat2");
  });
}

Result<Volume> open_on(base::Io& io, std::uint64_t segment_bytes, bool read_only) {
  return store::open(io, kFaultStore,
                     {.uid = 1007, .gid = 1008, .read_only = read_only, .segment_bytes = segment_bytes});
}

std::string difference(const Writable& volume, const stress::Model& model) {
  stress::ShownNumbers shown;
  return compare_state(volume, model, shown).value_or("");
}

std::string difference_reopened(base::Io& disk, const stress::Model& model) {
  {
    const auto volume = open_on(disk, std::uint64_t{1} << 20);
    if (!volume) return "does not open: " + volume.error().message();
    if (auto differs = difference(*volume, model); !differs.empty()) return differs;
  }
  const auto report = store::check(disk, kFaultStore, {});
  if (!report) return "cannot be checked: " + report.error().message();
  return report->damage.empty() ? "" : "is damaged: " + report->damage.front().message();
}

}  // namespace packfs::testing
