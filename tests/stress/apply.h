#pragma once

#include <optional>
#include <string>

#include "packfs/volume.h"
#include "stress/model.h"
#include "stress/operation.h"

namespace packfs::stress {

/// What a call gave, as it can be compared: an error, or what was read, as text.
struct Outcome {
  std::optional<ErrorCode> error;
  std::string text;
  std::optional<Time> mtime;  ///< where one was read; nothing when the model does not know it

  [[nodiscard]] std::string to_text() const;
};

/// Whether a volume's outcome is the one that the model expects.
[[nodiscard]] bool agrees(const Outcome& real, const Outcome& expected);

/// Whether the operation is a call on a Writable: a change or a reading.
[[nodiscard]] bool is_call(Operation::Kind kind);

/// Makes one call that changes something, and tells the library's own error, which an Outcome has no room for. Throws
/// std::bad_optional_access for what is no such call.
Result<void> change(const Operation& operation, Writable& volume);

/// Makes the call. fill and thin are many calls: the outcome tells how each ended.
Outcome apply(const Operation& operation, Writable& volume);
Outcome apply(const Operation& operation, Model& model);

/// The parts of a Stat that the model knows, as text, the mtime left out.
[[nodiscard]] std::string stat_text(const ModelStat& stat);
[[nodiscard]] std::string stat_text(const Stat& stat);
[[nodiscard]] std::string totals_text(const Totals& totals);

}  // namespace packfs::stress
