#pragma once

#include <string_view>

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/output.h"

namespace packfs::cli {

/// Writes results as lines: ended by NUL with -0; names as they are, but escaped when a terminal would show them (and
/// -0 does not forbid it).
class Lines {
 public:
  Lines(const Arguments& arguments, Context& context) noexcept
      : output_(context.output),
        terminator_(arguments.nul ? std::string_view("\0", 1) : "\n"),
        escape_names_(context.streams.out_is_terminal && !arguments.nul) {}

  void text(std::string_view text) { output_.write(text); }
  void name(std::string_view name);
  void end() { output_.write(terminator_); }

 private:
  Output& output_;
  std::string_view terminator_;
  bool escape_names_;
};

}  // namespace packfs::cli
