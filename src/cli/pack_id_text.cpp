#include "cli/pack_id_text.h"

#include <fmt/format.h>

namespace packfs::cli {

std::string pack_id_text(const PackInfo& info) {
  std::string text;
  for (const std::uint8_t byte : info.pack_id) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace packfs::cli
