#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/escape.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/report_json.h"
#include "store/repair.h"

namespace packfs::cli {

namespace {

void show(const std::string& store, const RepairReport& report, Lines& lines) {
  for (const Error& damage : report.damage) {
    lines.text(escaped(damage.message()));
    lines.end();
  }
  for (const std::string& path : report.set_aside) {
    lines.text("set aside: ");
    lines.name(path);
    lines.end();
  }
  lines.name(store);
  lines.text(report.changed ? ": repaired" : ": nothing to repair");
  lines.text(fmt::format(", last commit {}", report.last_commit));
  if (report.dropped_commits != 0) lines.text(fmt::format(", {} later commits dropped", report.dropped_commits));
  lines.end();
}

}  // namespace

ExitCode run_repair(const Arguments& arguments, Context& context) {
  const auto report = store::repair(context.io, arguments.tree);
  if (!report) {
    context.diagnostics.error(explain_missing_store(report.error(), arguments.tree));
    return ExitCode::failed;
  }
  Lines lines(arguments, context);
  if (arguments.json) {
    lines.text(repair_json(arguments.tree, *report));
    lines.end();
  } else {
    show(arguments.tree, *report, lines);
  }
  return report->damage.empty() ? ExitCode::done : ExitCode::partial;
}

}  // namespace packfs::cli
