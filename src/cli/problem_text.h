#pragma once

#include <string>
#include <string_view>

#include "packfs/error.h"

namespace packfs::cli {

/// One line on what happened to `path`: "PATH: message". Where the error's offset is one in `pack` (the path of the
/// pack that was read), that file is named as well: "PATH: PACK: corrupt at offset N (note)".
[[nodiscard]] std::string problem_text(std::string_view path, const Error& error, std::string_view pack = {});

}  // namespace packfs::cli
