#pragma once

#include <cstdint>
#include <string_view>

#include "cli/diagnostics.h"

namespace packfs::cli {

/// The line that says how far a command has come; not more often than Diagnostics lets it.
class Progress {
 public:
  Progress(std::string_view command, Diagnostics& diagnostics) noexcept
      : command_(command), diagnostics_(diagnostics) {}

  /// "verify: 41% of 12.3 MiB".
  void show_share(std::uint64_t done_bytes, std::uint64_t total_bytes);
  /// "pack: 1234 entries, 12.3 MiB".
  void show_count(std::uint64_t entries, std::uint64_t bytes);

 private:
  std::string_view command_;
  Diagnostics& diagnostics_;
};

}  // namespace packfs::cli
