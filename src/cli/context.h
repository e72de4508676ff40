#pragma once

#include "base/io.h"
#include "cli/diagnostics.h"
#include "cli/output.h"
#include "cli/streams.h"

namespace packfs::cli {

/// What every command works with. Borrows all of it.
struct Context {
  base::Io& io;
  const Streams& streams;
  Output& output;
  Diagnostics& diagnostics;

  /// Nobody waits for more: the output failed, or the command was interrupted.
  [[nodiscard]] bool stopped() const noexcept {
    return output.failure().has_value() || (streams.interrupted != nullptr && *streams.interrupted);
  }
};

}  // namespace packfs::cli
