#pragma once

#include "cli/arguments.h"
#include "cli/context.h"
#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::cli {

/// The pack that `arguments` names. Errors: those of Pack::open().
[[nodiscard]] Result<Pack> open_pack(const Arguments& arguments, Context& context);

}  // namespace packfs::cli
