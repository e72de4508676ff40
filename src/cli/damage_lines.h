#pragma once

#include <string>

#include "cli/lines.h"
#include "packfs/pack.h"

namespace packfs::cli {

/// One line for each damage of a report, the number of those that were not listed, then "PATH: whole" or "PATH: damaged
/// (N found)", whose line the caller goes on with.
void show_damage(const std::string& path, const VerifyReport& report, Lines& lines);

}  // namespace packfs::cli
