#include "cli/mode_text.h"

#include <array>
#include <cstddef>

namespace packfs::cli {

namespace {

constexpr std::array<std::string_view, 8> kTypeTexts = {"none", "regular", "directory",        "symlink",
                                                        "fifo", "socket",  "character_device", "block_device"};
constexpr std::string_view kTypeLetters = "?-dlpscb";

// The execute position also shows setuid, setgid or sticky: lower case where execute is set too.
char execute_letter(bool execute, bool special, char letter) {
  if (!special) return execute ? 'x' : '-';
  return execute ? letter : static_cast<char>(letter - 'a' + 'A');
}

}  // namespace

std::string mode_text(FileType type, std::uint32_t mode) {
  const auto bit = [mode](std::uint32_t mask) { return (mode & mask) != 0; };
  return {kTypeLetters[static_cast<std::size_t>(type) & 7], bit(0400) ? 'r' : '-', bit(0200) ? 'w' : '-',
          execute_letter(bit(0100), bit(04000), 's'),       bit(0040) ? 'r' : '-', bit(0020) ? 'w' : '-',
          execute_letter(bit(0010), bit(02000), 's'),       bit(0004) ? 'r' : '-', bit(0002) ? 'w' : '-',
          execute_letter(bit(0001), bit(01000), 't')};
}

std::string_view type_text(FileType type) noexcept { return kTypeTexts[static_cast<std::size_t>(type) & 7]; }

bool is_device(FileType type) noexcept { return type == FileType::character_device || type == FileType::block_device; }

}  // namespace packfs::cli
