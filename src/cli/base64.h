#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace packfs::cli {

/// RFC 4648 section 4, with padding. The texts of pieces whose lengths are multiples of 3 join to the text of the
/// whole.
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace packfs::cli
