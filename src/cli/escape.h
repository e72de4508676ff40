#pragma once

#include <string>
#include <string_view>

namespace packfs::cli {

/// `text` so that printing it cannot drive a terminal: control characters (C0, DEL, C1), characters that turn the
/// direction of writing, and bytes that are not UTF-8 become `\n`, `\t`, `\r` or `\xHH` for each byte, a backslash
/// becomes two. All else is kept, so different texts stay different.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace packfs::cli
