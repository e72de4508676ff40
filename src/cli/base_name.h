#pragma once

#include <string_view>

namespace packfs::cli {

/// The last component of a path, slashes behind it left out; empty when there is none.
[[nodiscard]] std::string_view base_name(std::string_view path) noexcept;

/// Whether an entry can have this name: it is not empty, "." or "..".
[[nodiscard]] bool names_itself(std::string_view name) noexcept;

}  // namespace packfs::cli
