#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pack/reader.h"

namespace packfs::pack {

/// The path of a name in a directory, from the root, for messages: as much of its end as can be read, is a path, and is
/// no longer than kMaxShownPath.
[[nodiscard]] std::string path_in_pack(const Reader& reader, std::uint64_t directory, std::string_view name);
inline constexpr std::size_t kMaxShownPath = 65536;

}  // namespace packfs::pack
