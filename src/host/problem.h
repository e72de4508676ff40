#pragma once

#include <string>

#include "packfs/error.h"

namespace packfs::host {

/// Something that could not be done as asked, and where. `path` is what a person is shown: bytes, never empty.
struct Problem {
  std::string path;
  Error error;
};

}  // namespace packfs::host
