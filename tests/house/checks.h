#pragma once

#include "house/checkout.h"

namespace packfs::house {

/// An include that goes to a later layer, from one face to another, or out of the public headers.
[[nodiscard]] Problems layer_problems(const Checkout& checkout);

/// A .cpp that no CMakeLists.txt above it names, a CMakeLists.txt that its parent does not name, a header that nothing
/// includes.
[[nodiscard]] Problems build_problems(const Checkout& checkout);

/// A file too long to hold in mind, an unfinished-work mark, a sleep in a test.
[[nodiscard]] Problems text_problems(const Checkout& checkout);

/// A type or a paragraph of functions in a public header without a contract.
[[nodiscard]] Problems contract_problems(const Checkout& checkout);

}  // namespace packfs::house
