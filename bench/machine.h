#pragma once

#include <string>

#include "report/row.h"
#include "settings.h"

namespace packfs::bench {

/// The kind of filesystem that a path lies on: "ext4", "tmpfs".
[[nodiscard]] std::string filesystem_of(const std::string& path);
/// What the figures depend on: processor, memory, kernel, huge pages, filesystem, compiler, versions of the peers.
[[nodiscard]] Facts machine_facts(const Settings& settings);

}  // namespace packfs::bench
