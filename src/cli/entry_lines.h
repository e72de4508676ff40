#pragma once

#include <string_view>

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/details.h"
#include "cli/lines.h"

namespace packfs::cli {

/// One line for each entry: its name; with -l "mode links uid gid size-or-device time name -> target"; with --json an
/// object.
class EntryLines {
 public:
  EntryLines(const Arguments& arguments, Context& context) noexcept
      : json_(arguments.json), long_format_(arguments.long_format), lines_(arguments, context) {}

  /// False when show_name() is enough.
  [[nodiscard]] bool needs_details() const noexcept { return json_ || long_format_; }
  void show_name(std::string_view path);
  void show(const Details& details);

 private:
  bool json_;
  bool long_format_;
  Lines lines_;
};

}  // namespace packfs::cli
