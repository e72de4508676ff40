#include "cli/escape.h"

#include <algorithm>

#include "cli/utf8.h"

namespace packfs::cli {

namespace {

bool drives_terminal(char32_t c) noexcept {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool separator = c == 0x2028 || c == 0x2029;
  const bool direction =
      c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || separator || direction;
}

void append_escape(std::string& to, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (byte) {
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    case '\r':
      to += "\\r";
      return;
    default:
      const auto value = static_cast<unsigned char>(byte);
      to += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Utf8Sequence sequence = first_utf8_sequence(text);
    const std::string_view piece = text.substr(0, std::max<std::size_t>(sequence.length, 1));
    if (piece == "\\") {
      result += "\\\\";
    } else if (sequence.length == 0 || drives_terminal(sequence.code_point)) {
      for (const char byte : piece) append_escape(result, byte);
    } else {
      result += piece;
    }
    text.remove_prefix(piece.size());
  }
  return result;
}

}  // namespace packfs::cli
