#pragma once

#include <cstddef>
#include <string_view>

namespace packfs::cli {

/// One well-formed UTF-8 sequence (RFC 3629: no surrogates, nothing overlong, at most U+10FFFF).
struct Utf8Sequence {
  std::size_t length = 0;  ///< bytes, 1 to 4; 0: the text does not begin with one
  char32_t code_point = 0;
};

/// The sequence at the start of `text`.
[[nodiscard]] Utf8Sequence first_utf8_sequence(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace packfs::cli
