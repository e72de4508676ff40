#pragma once

#include "cli/diagnostics.h"
#include "packfs/host_tree.h"

namespace packfs::cli {

/// Names whatever an import left out, or took in as it may never have been.
void name_problems(const ImportReport& report, Diagnostics& diagnostics);

}  // namespace packfs::cli
