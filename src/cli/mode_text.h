#pragma once

#include <string>
#include <string_view>

#include "packfs/types.h"

namespace packfs::cli {

/// As `ls -l` shows it: "drwxr-sr-t".
[[nodiscard]] std::string mode_text(FileType type, std::uint32_t mode);

/// "regular", "directory", "symlink", "fifo", "socket", "character_device", "block_device".
[[nodiscard]] std::string_view type_text(FileType type) noexcept;

[[nodiscard]] bool is_device(FileType type) noexcept;

}  // namespace packfs::cli
