#pragma once

#include <set>
#include <string_view>

#include "house/checkout.h"

namespace packfs::house {

/// Names of the libraries in the output of `readelf -d`: its NEEDED entries.
[[nodiscard]] std::vector<std::string> needed_libraries(std::string_view readelf_output);

/// Libraries that are needed and that neither the engine nor `also_allowed` (names up to ".so") may need.
[[nodiscard]] Problems library_problems(std::string_view readelf_output,
                                        const std::set<std::string_view>& also_allowed = {});

/// Calls in the output of `nm -A -u LIBRARY.a` that reach the kernel past base::Io: any in an object that is not part
/// of its implementation (system_io*).
[[nodiscard]] Problems syscall_problems(std::string_view nm_output);

}  // namespace packfs::house
