#pragma once

#include <string>

#include "cli/context.h"
#include "host/status.h"
#include "packfs/error.h"

namespace packfs::cli {

/// Which directory a host path leads to. Errors, with the path: not_a_directory; an errno of stat.
[[nodiscard]] Result<host::FileIdentity> directory_at(const std::string& path, Context& context);

}  // namespace packfs::cli
