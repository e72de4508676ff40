#pragma once

#include <string>

#include "packfs/pack.h"

namespace packfs::cli {

/// The pack id in hexadecimal, 32 digits.
[[nodiscard]] std::string pack_id_text(const PackInfo& info);

}  // namespace packfs::cli
