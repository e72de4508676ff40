#pragma once

#include <string>
#include <string_view>

#include "report/result.h"

namespace packfs::bench {

/// The table of all rows as aligned Markdown, one line for each comparison.
[[nodiscard]] std::string table_of(const RunResult& result);

/// The whole page: how it was measured, the table, the conditions of each row, then `notes` as they are.
[[nodiscard]] std::string page_of(const RunResult& result, std::string_view notes);

}  // namespace packfs::bench
