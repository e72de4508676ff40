#pragma once

#include <string_view>

#include "corpus/random.h"

namespace packfs::bench {

/// One of 64 words as they occur in source text, 2 to 10 letters long.
[[nodiscard]] std::string_view random_word(Random& random);

}  // namespace packfs::bench
