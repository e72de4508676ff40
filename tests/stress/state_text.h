#pragma once

#include <string>

#include "packfs/view.h"
#include "stress/model.h"

namespace packfs::stress {

/// A line for each entry, in path order: path, what stat tells but times and numbers, and a hash of content or target.
/// Equal for a view and a model when they are the same tree. Errors met on the way are in the text.
[[nodiscard]] std::string state_text(const View& view);
[[nodiscard]] std::string state_text(const Model& model);

}  // namespace packfs::stress
