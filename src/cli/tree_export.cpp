#include "cli/tree_export.h"

#include <cerrno>

#include "cli/directory_identity.h"
#include "cli/lines.h"
#include "cli/problem_text.h"
#include "cli/progress.h"
#include "cli/report_json.h"

namespace packfs::cli {

namespace {

/// After these nothing further can be written.
bool ends_export(const Error& error) {
  const int code = error.to_errno();
  return code == ENOSPC || code == EDQUOT || code == EROFS || code == ECANCELED || code == ENOMEM;
}

/// Gives the problems' paths, which are those in a view, as they are in the whole tree.
void place_below(std::string_view place, std::vector<Problem>& problems) {
  if (place.empty()) return;
  for (Problem& problem : problems) {
    std::string path(place);
    if (problem.path != ".") {
      if (!path.ends_with('/')) path += '/';
      path += problem.path;
    }
    problem.path = std::move(path);
  }
}

}  // namespace

ExitCode TreeExport::run(const View& view, const std::vector<std::string>& paths, std::string_view place) {
  if (is_into_itself()) {
    context_.diagnostics.error(arguments_.directory + ": it is the store to read as well");
    return ExitCode::usage;
  }
  const std::vector<std::string> wanted = existing(paths, view);
  if (wanted.empty() && !paths.empty()) return finish({});
  Progress progress(command_, context_.diagnostics);
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
  if (paths.empty()) {
    write_all(*exporter);
  } else {
    write_paths(*exporter, wanted);
  }
  context_.diagnostics.clear_progress();
  host::ExportReport report = exporter->report();
  for (auto* problems : {&report.failed, &report.incomplete, &report.withheld}) place_below(place, *problems);
  return finish(report);
}

/// Its names would replace the store's own files.
bool TreeExport::is_into_itself() const {
  const auto target = directory_at(arguments_.directory, context_);
  const auto store = target ? directory_at(arguments_.tree, context_) : target;
  return target && store && *target == *store;
}

/// Those of the paths that are in the view. The target is not made for the sake of those that are not.
std::vector<std::string> TreeExport::existing(const std::vector<std::string>& paths, const View& view) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    if (const auto stat = view.lstat(path)) {
      found.push_back(path);
    } else {
      missed_.push_back({.path = path, .error = stat.error()});
    }
  }
  return found;
}

void TreeExport::write_all(host::Exporter& exporter) {
  if (const auto written = exporter.write_all(); !written) broken_off(arguments_.directory, written.error());
}

void TreeExport::write_paths(host::Exporter& exporter, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto written = exporter.write_one(path);
    if (written) {
      any_path_done_ = true;
    } else if (ends_export(written.error())) {
      return broken_off(path, written.error());
    } else {
      missed_.push_back({.path = path, .error = written.error()});
    }
  }
}

void TreeExport::broken_off(const std::string& path, const Error& error) {
  missed_.push_back({.path = path, .error = error});
  broken_off_ = true;
}

ExitCode TreeExport::finish(const host::ExportReport& report) {
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

void TreeExport::name_all(const std::vector<Problem>& problems, std::string_view hint) {
  for (const Problem& problem : problems) {
    context_.diagnostics.error(problem_text(problem.path, problem.error, arguments_.tree).append(hint));
  }
}

}  // namespace packfs::cli
