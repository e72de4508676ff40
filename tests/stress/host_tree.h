#pragma once

#include <optional>
#include <string>

#include "stress/apply.h"
#include "stress/model.h"
#include "stress/operation.h"

namespace packfs::stress {

/// The operation in a form that a host directory takes as the model does, or nothing when it has none: not one system
/// call, paths that only PackFS refuses, the root as what is changed, and bits whose rules depend on who asks.
[[nodiscard]] std::optional<Operation> for_host(Operation operation);

/// Makes the call on the process's root directory, as a child does that was put into one with chroot(2).
[[nodiscard]] Outcome apply_to_host(const Operation& operation);

}  // namespace packfs::stress
