#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "packfs/error.h"

namespace packfs::content {

/// The error for bytes at `offset` that the format does not allow; `note` says what they should have been.
[[nodiscard, gnu::cold, gnu::noinline]] std::unexpected<Error> corrupt_at(std::uint64_t offset, std::string_view note);

}  // namespace packfs::content
