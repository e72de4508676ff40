#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "packfs/error.h"
#include "packfs/volume.h"
#include "stress/apply.h"
#include "stress/operation.h"

// What the threads of a writer do that is to be killed: it follows from seed, thread and number alone, so that whoever
// reads the ledger knows it too. Each thread keeps to a directory of its own, so what one does changes nothing for the
// others, in whatever order they come.
namespace packfs::kill {

/// One thing that a thread does: a call, a transaction or a sync().
struct Step {
  enum class Kind : std::uint8_t { call, transaction, dropped_transaction, sync };
  Kind kind = Kind::call;
  bool is_async = false;
  std::vector<stress::Operation> operations;  ///< paths in the thread's directory
};
[[nodiscard]] Step step_of(std::uint64_t seed, std::size_t thread, std::size_t index);

/// The directory of a thread.
[[nodiscard]] std::string directory_of(std::size_t thread);
/// The operation as a call on the volume.
[[nodiscard]] stress::Operation in_directory(stress::Operation operation, std::size_t thread);

/// Of all writers, and of what their models say.
inline constexpr std::uint32_t kUid = 1007;
inline constexpr std::uint32_t kGid = 1008;

/// How the calls of a step ended, in short.
class Outcomes {
 public:
  void add(const stress::Outcome& outcome) noexcept {
    const auto code = static_cast<std::uint64_t>(static_cast<std::int64_t>(outcome.error.value_or(ErrorCode{})));
    value_ = (value_ ^ code) * 0x100000001b3U;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Every transaction says here which it is: their order is that of the commits.
inline constexpr const char* kOrder = "order";
/// "round thread index", as it stands there.
[[nodiscard]] std::string order_line(std::uint64_t round, std::size_t thread, std::size_t index);

}  // namespace packfs::kill
