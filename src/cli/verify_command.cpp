#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/damage_lines.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/progress.h"

namespace packfs::cli {

namespace {

void show_report(const std::string& pack, const VerifyReport& report, Lines& lines) {
  show_damage(pack, report, lines);
  lines.text(fmt::format(", checked {} records, {} entries, {} bytes", report.records_checked, report.entries_checked,
                         report.bytes_checked));
  lines.end();
}

ExitCode verify_pack(const Arguments& arguments, Context& context) {
  const auto pack = open_pack(arguments.tree, arguments, context);
  if (!pack) {
    context.diagnostics.error(pack.error());
    return ExitCode::failed;
  }
  Progress progress("verify", context.diagnostics);
  const auto report = pack->verify([&](std::uint64_t done, std::uint64_t total) {
    progress.show_share(done, total);
    return !context.stopped();
  });
  context.diagnostics.clear_progress();
  if (!report) {
    context.diagnostics.error(report.error().with_path(arguments.tree));
    return ExitCode::failed;
  }
  Lines lines(arguments, context);
  if (arguments.json) {
    lines.text(verify_json(arguments.tree, *report));
    lines.end();
  } else {
    show_report(arguments.tree, *report, lines);
  }
  return report->damages == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace

ExitCode run_verify(const Arguments& arguments, Context& context) {
  const auto is_store = names_store(arguments.tree, context);
  if (!is_store) {
    context.diagnostics.error(is_store.error());
    return ExitCode::failed;
  }
  return *is_store ? run_check(arguments, context) : verify_pack(arguments, context);
}

}  // namespace packfs::cli
