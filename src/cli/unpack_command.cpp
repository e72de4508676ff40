#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/lines.h"
#include "cli/open_pack.h"
#include "cli/problem_text.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "host/export.h"

namespace packfs::cli {

namespace {

/// After these nothing further can be written.
bool ends_export(const Error& error) {
  const int code = error.to_errno();
  return code == ENOSPC || code == EDQUOT || code == EROFS || code == ECANCELED || code == ENOMEM;
}

class Unpacking {
 public:
  Unpacking(const Arguments& arguments, Context& context) : arguments_(arguments), context_(context) {}

  ExitCode run(const View& view) {
    const std::vector<std::string> paths = existing_paths(view);
    if (paths.empty() && !arguments_.paths.empty()) return finish(host::ExportReport{});
    Progress progress("unpack", context_.diagnostics);
    host::ExportOptions options;
    options.privileged = arguments_.privileged;
    options.progress = [&progress, this](std::uint64_t entries, std::uint64_t bytes) {
      progress.show_count(entries, bytes);
      return !context_.stopped();
    };
    auto exporter = host::Exporter::open(context_.io, view, arguments_.directory, options);
    if (!exporter) {
      context_.diagnostics.error(exporter.error().with_path(arguments_.directory));
      return ExitCode::failed;
    }
    write(*exporter, paths);
    context_.diagnostics.clear_progress();
    return finish(exporter->report());
  }

 private:
  /// Those of the PATHs that are in the pack. The target is not made for the sake of those that are not.
  std::vector<std::string> existing_paths(const View& view) {
    std::vector<std::string> paths;
    for (const std::string& path : arguments_.paths) {
      if (const auto stat = view.lstat(path)) {
        paths.push_back(path);
      } else {
        missed_.push_back({.path = path, .error = stat.error()});
      }
    }
    return paths;
  }

  void write(host::Exporter& exporter, const std::vector<std::string>& paths) {
    if (arguments_.paths.empty()) {
      if (const auto written = exporter.write_all(); !written) broken_off(arguments_.directory, written.error());
      return;
    }
    for (const std::string& path : paths) {
      const auto written = exporter.write_one(path);
      if (written) {
        any_path_done_ = true;
      } else if (ends_export(written.error())) {
        broken_off(path, written.error());
        return;
      } else {
        missed_.push_back({.path = path, .error = written.error()});
      }
    }
  }

  void broken_off(const std::string& path, const Error& error) {
    missed_.push_back({.path = path, .error = error});
    broken_off_ = true;
  }

  ExitCode finish(const host::ExportReport& report) {
    name_all(missed_);
    name_all(report.failed);
    name_all(report.incomplete);
    name_all(report.withheld, ": needs --privileged");
    if (arguments_.json) {
      Lines lines(arguments_, context_);
      lines.text(unpack_json(arguments_.directory, missed_, report));
      lines.end();
    }
    if (missed_.empty() && report.exact()) return ExitCode::done;
    const bool any_done = report.entries > 0 || any_path_done_;
    return any_done && !broken_off_ ? ExitCode::partial : ExitCode::failed;
  }

  void name_all(const std::vector<host::Problem>& problems, std::string_view hint = {}) {
    for (const host::Problem& problem : problems) {
      context_.diagnostics.error(problem_text(problem.path, problem.error, arguments_.pack).append(hint));
    }
  }

  const Arguments& arguments_;
  Context& context_;
  std::vector<host::Problem> missed_;  // PATHs, or the whole, that were not written
  bool any_path_done_ = false;
  bool broken_off_ = false;
};

}  // namespace

ExitCode run_unpack(const Arguments& arguments, Context& context) {
  const auto pack = open_pack(arguments, context);
  if (!pack) {
    context.diagnostics.error(pack.error());
    return ExitCode::failed;
  }
  return Unpacking(arguments, context).run(pack->root());
}

}  // namespace packfs::cli
