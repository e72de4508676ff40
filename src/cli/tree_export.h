#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "host/export.h"
#include "packfs/host_tree.h"
#include "packfs/view.h"

namespace packfs::cli {

/// What `unpack` and `export` do: writes a view into the directory that the arguments name, and names what it could
/// not. Borrows all. One thread.
class TreeExport {
 public:
  /// `command` begins the line of progress.
  TreeExport(std::string_view command, const Arguments& arguments, Context& context)
      : command_(command), arguments_(arguments), context_(context) {}

  /// All of the view, or what its `paths` name with the directories above; `place` is its own path in the pack or
  /// store, for messages.
  [[nodiscard]] ExitCode run(const View& view, const std::vector<std::string>& paths, std::string_view place = {});

 private:
  [[nodiscard]] bool is_into_itself() const;
  [[nodiscard]] std::vector<std::string> existing(const std::vector<std::string>& paths, const View& view);
  void write_all(host::Exporter& exporter);
  void write_paths(host::Exporter& exporter, const std::vector<std::string>& paths);
  void broken_off(const std::string& path, const Error& error);
  ExitCode finish(const host::ExportReport& report);
  void name_all(const std::vector<Problem>& problems, std::string_view hint = {});

  std::string_view command_;
  const Arguments& arguments_;
  Context& context_;
  std::vector<Problem> missed_;  // paths, or the whole, that were not written
  bool any_path_done_ = false;
  bool broken_off_ = false;
};

}  // namespace packfs::cli
