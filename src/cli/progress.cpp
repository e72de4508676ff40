#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace packfs::cli {

namespace {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::uint64_t percent(std::uint64_t done, std::uint64_t total) {
  if (total == 0) return 100;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return static_cast<std::uint64_t>(std::min(share, 1.0) * 100);
}

}  // namespace

void Progress::show_share(std::uint64_t done_bytes, std::uint64_t total_bytes) {
  if (!diagnostics_.progress_due()) return;
  diagnostics_.show_progress(
      fmt::format("{}: {}% of {}", command_, percent(done_bytes, total_bytes), bytes_text(total_bytes)));
}

void Progress::show_count(std::uint64_t entries, std::uint64_t bytes) {
  if (!diagnostics_.progress_due()) return;
  diagnostics_.show_progress(fmt::format("{}: {} entries, {}", command_, entries, bytes_text(bytes)));
}

}  // namespace packfs::cli
