#include "cli/utf8.h"

#include <cstdint>

namespace packfs::cli {

namespace {

struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t least;  // the smallest code point that needs this length
};

Lead decode_lead(unsigned char byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, byte & 0x1FU, 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, byte & 0x0FU, 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Sequence first_utf8_sequence(std::string_view text) noexcept {
  if (text.empty()) return {};
  const Lead lead = decode_lead(static_cast<unsigned char>(text[0]));
  if (lead.length == 0 || lead.length > text.size()) return {};
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code_point = (code_point << 6) | (byte & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < lead.least || code_point > 0x10FFFF || surrogate) return {};
  return {lead.length, code_point};
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = first_utf8_sequence(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace packfs::cli
