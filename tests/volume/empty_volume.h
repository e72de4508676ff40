#pragma once

#include <catch2/catch.hpp>
#include <utility>

#include "packfs/volume.h"

namespace packfs::testing {

inline Volume empty() {
  auto volume = Volume::memory();
  REQUIRE(volume);
  return std::move(*volume);
}

}  // namespace packfs::testing
