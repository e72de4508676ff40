#include "cli/commands.h"
#include "cli/directory_identity.h"
#include "cli/import_problems.h"
#include "cli/lines.h"
#include "cli/problem_text.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "cli/store_change.h"
#include "volume/import_tree.h"

namespace packfs::cli {

namespace {

Result<void> take_in(const Arguments& arguments, Context& context, Transaction& transaction, ImportReport& report) {
  Progress progress("import", context.diagnostics);
  ImportOptions options;
  options.threads = arguments.threads;
  options.exclude = {arguments.tree};
  options.progress = [&](std::uint64_t entries, std::uint64_t bytes) {
    progress.show_count(entries, bytes);
    return !context.stopped();
  };
  // With a slash, since a symlink to a directory is followed here.
  const std::vector<std::string> sources{arguments.directory + "/"};
  const std::string into = arguments.paths.empty() ? "" : arguments.paths.front();
  auto taken = volume::import_tree(context.io, sources, transaction, into, options, report);
  context.diagnostics.clear_progress();
  return taken;
}

}  // namespace

ExitCode run_import(const Arguments& arguments, Context& context) {
  const auto fail = [&](const Error& error) {
    context.diagnostics.error(error.with_path(arguments.tree));
    return ExitCode::failed;
  };
  const auto source = directory_at(arguments.directory, context);
  if (!source) return fail(source.error());
  StoreChange store(arguments, context);
  if (!store.begin()) return ExitCode::failed;
  const auto target = directory_at(arguments.tree, context);
  if (!target) return fail(target.error());
  if (*source == *target) {
    context.diagnostics.error(arguments.directory + ": it is the store to write as well");
    return ExitCode::usage;
  }
  ImportReport report;
  if (const auto taken = take_in(arguments, context, store.transaction(), report); !taken) return fail(taken.error());
  name_problems(report, context.diagnostics);
  const auto commit = store.commit();
  if (!commit) return ExitCode::failed;
  if (arguments.json) {
    Lines lines(arguments, context);
    lines.text(import_json(arguments.tree, *commit, report));
    lines.end();
  }
  return report.exact() ? ExitCode::done : ExitCode::partial;
}

}  // namespace packfs::cli
