#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/context.h"
#include "host/import.h"
#include "host/status.h"
#include "packfs/error.h"
#include "tree/sink.h"

namespace packfs::cli {

/// Taking host trees in, as `pack` and `import` do: with the threads that were asked for and a line of progress.
/// Borrows all. One thread.
class HostImport {
 public:
  /// `command` begins the line of progress.
  HostImport(std::string_view command, const Arguments& arguments, Context& context)
      : command_(command), arguments_(arguments), context_(context) {}

  /// A file that is left out wherever it is met.
  void exclude(const host::FileIdentity& file) { exclude_.push_back(file); }
  [[nodiscard]] bool excludes(const host::FileIdentity& file) const;

  /// Errors: those of host::import_tree(); ECANCELED, too, when the command was stopped.
  [[nodiscard]] Result<void> run(const std::vector<std::string>& sources, tree::Sink& sink);
  [[nodiscard]] const host::ImportReport& report() const noexcept { return report_; }
  /// Names on the diagnostics whatever is not in the sink as it was.
  void name_problems();

 private:
  std::string_view command_;
  const Arguments& arguments_;
  Context& context_;
  std::vector<host::FileIdentity> exclude_;
  host::ImportReport report_;
};

}  // namespace packfs::cli
