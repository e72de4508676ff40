#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "content/content.h"

namespace packfs::content {

using Bytes = std::vector<std::byte>;
using Held = Ref<const Content>;

/// What could be made, as it must.
inline Held must(Result<Held> made) {
  REQUIRE(made);
  return *made;
}

/// All bytes, read in one call.
inline Bytes all_of(const Content& content) {
  Bytes bytes(content.size());
  const auto read = content.read(0, bytes);
  REQUIRE(read);
  REQUIRE(*read == bytes.size());
  return bytes;
}

}  // namespace packfs::content
