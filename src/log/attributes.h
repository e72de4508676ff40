#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "log/record.h"

namespace packfs::log {

/// Appends the mask and the fields it names (docs/format.md section 2.2).
void encode_attributes(const Record& record, std::vector<std::byte>& out);

/// Why attributes cannot be decoded.
enum class BadAttributes : unsigned char {
  malformed,      ///< not as section 2.2 has it
  unknown_field,  ///< a bit of the mask this version gives no meaning
};

/// Fills `fields` and their values; what they may be is broken_rule()'s to judge. Views borrow `attributes`.
[[nodiscard]] std::expected<void, BadAttributes> decode_attributes(std::span<const std::byte> attributes,
                                                                   Record& record);

}  // namespace packfs::log
