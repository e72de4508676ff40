#pragma once

#include <string>

#include "packfs/types.h"

namespace packfs::cli {

/// ISO 8601 in UTC: "2024-02-29T23:59:59Z", or with nanoseconds "2024-02-29T23:59:59.000000001Z". Any 64-bit time:
/// years before 0 and after 9999 carry a sign ("-292277022657-01-27T08:29:52Z").
[[nodiscard]] std::string iso_seconds(const Time& time);
[[nodiscard]] std::string iso_nanoseconds(const Time& time);

}  // namespace packfs::cli
