#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/export.h"
#include "host/import.h"
#include "packfs/pack.h"

namespace packfs::cli {

/// What `pack` and `unpack` did, each as one JSON document in one line. Problems are objects of "path" and "error".

/// "path" (of the pack), the fields of info_json(), "skipped", "changed", "incomplete".
[[nodiscard]] std::string pack_json(std::string_view pack, const PackInfo& info, const host::ImportReport& report);

/// "path" (of the directory), "made", "entries", "bytes", "owners_not_set", "missing", "failed", "incomplete",
/// "withheld". `missing` are PATHs that were not there or could not be reached.
[[nodiscard]] std::string unpack_json(std::string_view directory, std::span<const host::Problem> missing,
                                      const host::ExportReport& report);

}  // namespace packfs::cli
