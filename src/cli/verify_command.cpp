#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/escape.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/open_pack.h"
#include "cli/progress.h"

namespace packfs::cli {

namespace {

void show_report(const std::string& pack, const VerifyReport& report, Lines& lines) {
  for (const Error& damage : report.damage) {
    lines.text(escaped(damage.message()));
    lines.end();
  }
  if (report.damages > report.damage.size()) {
    lines.text(fmt::format("{} more", report.damages - report.damage.size()));
    lines.end();
  }
  lines.name(pack);
  lines.text(report.damages == 0 ? std::string(": whole") : fmt::format(": damaged ({} found)", report.damages));
  lines.text(fmt::format(", checked {} records, {} entries, {} bytes", report.records_checked, report.entries_checked,
                         report.bytes_checked));
  lines.end();
}

}  // namespace

ExitCode run_verify(const Arguments& arguments, Context& context) {
  const auto pack = open_pack(arguments, context);
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
    context.diagnostics.error(report.error().with_path(arguments.pack));
    return ExitCode::failed;
  }
  Lines lines(arguments, context);
  if (arguments.json) {
    lines.text(verify_json(arguments.pack, *report));
    lines.end();
  } else {
    show_report(arguments.pack, *report, lines);
  }
  return report->damages == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace packfs::cli
