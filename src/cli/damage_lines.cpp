#include "cli/damage_lines.h"

#include <fmt/format.h>

#include "cli/escape.h"

namespace packfs::cli {

void show_damage(const std::string& path, const VerifyReport& report, Lines& lines) {
  for (const Error& damage : report.damage) {
    lines.text(escaped(damage.message()));
    lines.end();
  }
  if (report.damages > report.damage.size()) {
    lines.text(fmt::format("{} more", report.damages - report.damage.size()));
    lines.end();
  }
  lines.name(path);
  lines.text(report.damages == 0 ? std::string(": whole") : fmt::format(": damaged ({} found)", report.damages));
}

}  // namespace packfs::cli
