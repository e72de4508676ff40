#include "cli/diagnostics.h"

#include <chrono>

#include "base/bytes.h"
#include "base/io_loops.h"
#include "cli/escape.h"

namespace packfs::cli {

namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};

// Back to the first column, erase to the end of the line (ECMA-48 EL).
constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

void Diagnostics::error(const Error& error) { this->error(error.message()); }

void Diagnostics::error(std::string_view message) { text("packfs: " + escaped(message) + "\n"); }

void Diagnostics::text(std::string_view text) {
  output_.flush();
  clear_progress();
  write(text);
}

bool Diagnostics::progress_due() const {
  if (!streams_.err_is_terminal) return false;
  return streams_.now() - last_progress_ >= kProgressInterval;
}

void Diagnostics::show_progress(std::string_view line) {
  last_progress_ = streams_.now();
  progress_shown_ = true;
  write(std::string(kEraseLine).append(line));
}

void Diagnostics::clear_progress() {
  if (progress_shown_) write(kEraseLine);
  progress_shown_ = false;
}

void Diagnostics::write(std::string_view bytes) {
  // Where this fails there is nobody left to tell.
  [[maybe_unused]] const auto written = base::write_fully(io_, streams_.err, base::as_bytes(bytes));
}

}  // namespace packfs::cli
