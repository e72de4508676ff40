#include "cli/import_problems.h"

#include "cli/problem_text.h"

namespace packfs::cli {

void name_problems(const ImportReport& report, Diagnostics& diagnostics) {
  for (const auto* problems : {&report.skipped, &report.changed, &report.incomplete}) {
    for (const Problem& problem : *problems) diagnostics.error(problem_text(problem.path, problem.error));
  }
}

}  // namespace packfs::cli
