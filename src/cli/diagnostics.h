#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/io.h"
#include "cli/output.h"
#include "cli/streams.h"
#include "packfs/error.h"

namespace packfs::cli {

/// Standard error: messages, and at a terminal a line of progress that is taken away before anything else is shown
/// there. A message is one line, "packfs: ...", with control characters escaped whatever it is written to. Failed
/// writes are ignored: there is nobody to tell.
/// One thread at a time.
class Diagnostics {
 public:
  /// Borrows all; `output` is flushed before a message, so that the two stay in order where both are shown.
  Diagnostics(base::Io& io, const Streams& streams, Output& output) noexcept
      : io_(io), streams_(streams), output_(output), last_progress_(streams.now()) {}
  ~Diagnostics() { clear_progress(); }

  /// "packfs: PATH: what happened at offset N (note)".
  void error(const Error& error);
  void error(std::string_view message);
  /// Text for people, as it is.
  void text(std::string_view text);

  /// True when a terminal is there and the line on it is a tenth of a second old or more.
  [[nodiscard]] bool progress_due() const;
  /// Shows `line` (printable characters only) in place of the last one.
  void show_progress(std::string_view line);
  void clear_progress();

 private:
  void write(std::string_view bytes);

  base::Io& io_;
  const Streams& streams_;
  Output& output_;
  Streams::Clock::time_point last_progress_;
  bool progress_shown_ = false;
};

}  // namespace packfs::cli
