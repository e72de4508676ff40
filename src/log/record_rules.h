#pragma once

#include <optional>
#include <string_view>

#include "log/record.h"

namespace packfs::log {

inline constexpr std::uint32_t kKnownFields = (1U << 18) - 1;  ///< bits of an attribute mask that have a meaning
inline constexpr std::uint64_t kMaxTypes = 17;                 ///< the greatest RecordType

/// What docs/format.md section 2 does not allow about a record, in a few words; nothing when all is well. Writer and
/// reader share these rules: whatever one writes the other takes. The type and the fields' bits must be known ones.
[[nodiscard]] std::optional<std::string_view> broken_rule(const Record& record) noexcept;

}  // namespace packfs::log
