#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "packfs/volume.h"
#include "support/packs.h"

namespace packfs::testing {

inline Volume empty() {
  auto volume = Volume::memory();
  REQUIRE(volume);
  return std::move(*volume);
}

/// A directory of so many files.
inline void fill(Volume& volume, const std::string& directory, int files) {
  auto transaction = volume.begin();
  REQUIRE(transaction);
  must(transaction->make_directory(directory));
  for (int i = 0; i < files; ++i) must(transaction->write(directory + "/file-" + std::to_string(i), bytes_of("x")));
  REQUIRE(transaction->commit());
}

}  // namespace packfs::testing
