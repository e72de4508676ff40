#pragma once

#include "report/row.h"
#include "settings.h"

namespace packfs::bench {

/// What the figures depend on: processor, memory, kernel, huge pages, filesystem, compiler, versions of the peers.
[[nodiscard]] Facts machine_facts(const Settings& settings);

}  // namespace packfs::bench
