#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/export.h"
#include "host/import.h"
#include "packfs/pack.h"
#include "packfs/store.h"

namespace packfs::cli {

/// What a command did, as one JSON document in one line. Problems are objects of "path" and "error".

/// "path" (of the pack), the fields of info_json(), "skipped", "changed", "incomplete".
[[nodiscard]] std::string pack_json(std::string_view pack, const PackInfo& info, const host::ImportReport& report);

/// "path" (of the directory), "made", "entries", "bytes", "owners_not_set", "missing", "failed", "incomplete",
/// "withheld". `missing` are PATHs that were not there or could not be reached.
[[nodiscard]] std::string unpack_json(std::string_view directory, std::span<const Problem> missing,
                                      const host::ExportReport& report);

/// "path" (of the store), "commit", "entries", "bytes", "skipped", "changed", "incomplete".
[[nodiscard]] std::string import_json(std::string_view store, std::uint64_t commit, const host::ImportReport& report);

/// "path" (of the store), "commit" (null: nothing was changed), "failed".
[[nodiscard]] std::string change_json(std::string_view store, std::optional<std::uint64_t> commit,
                                      std::span<const Problem> failed);

/// "path", "whole", "segments", "commits", "last_commit", "unfinished_bytes", and the fields of verify_json().
[[nodiscard]] std::string check_json(std::string_view store, const StoreReport& report);

/// "path", "changed", "last_commit", "dropped_commits", "set_aside": [{"path"}], "damage" as in verify_json().
[[nodiscard]] std::string repair_json(std::string_view store, const RepairReport& report);

}  // namespace packfs::cli
