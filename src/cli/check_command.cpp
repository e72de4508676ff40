#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/damage_lines.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "store/check.h"

namespace packfs::cli {

namespace {

void show_store_report(const std::string& store, const StoreReport& report, Lines& lines) {
  show_damage(store, report, lines);
  lines.text(fmt::format(", checked {} commits in {} segments, {} records, {} entries, {} bytes", report.commits,
                         report.segments, report.records_checked, report.entries_checked, report.bytes_checked));
  if (report.unfinished_bytes != 0) lines.text(fmt::format("; {} bytes unfinished", report.unfinished_bytes));
  lines.end();
}

}  // namespace

ExitCode run_check(const Arguments& arguments, Context& context) {
  Progress progress(arguments.command == Command::verify ? "verify" : "check", context.diagnostics);
  const auto report = store::check(context.io, arguments.tree, [&](std::uint64_t done, std::uint64_t total) {
    progress.show_share(done, total);
    return !context.stopped();
  });
  context.diagnostics.clear_progress();
  if (!report) {
    context.diagnostics.error(explain_missing_store(report.error(), arguments.tree));
    return ExitCode::failed;
  }
  Lines lines(arguments, context);
  if (arguments.json) {
    lines.text(check_json(arguments.tree, *report));
    lines.end();
  } else {
    show_store_report(arguments.tree, *report, lines);
  }
  return report->damages == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace packfs::cli
