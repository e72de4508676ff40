#include "cli/host_import.h"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "cli/problem_text.h"
#include "cli/progress.h"

namespace packfs::cli {

namespace {

constexpr unsigned kMaxDefaultThreads = 16;

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxDefaultThreads); }

}  // namespace

bool HostImport::excludes(const host::FileIdentity& file) const {
  return std::ranges::find(exclude_, file) != exclude_.end();
}

Result<void> HostImport::run(const std::vector<std::string>& sources, tree::Sink& sink) {
  Progress progress(command_, context_.diagnostics);
  host::ImportOptions options;
  options.threads = arguments_.threads == 0 ? default_threads() : arguments_.threads;
  options.exclude = exclude_;
  options.progress = [&progress, this](std::uint64_t entries, std::uint64_t bytes) {
    progress.show_count(entries, bytes);
    return !context_.stopped();
  };
  auto imported = host::import_tree(context_.io, sources, sink, options, report_);
  context_.diagnostics.clear_progress();
  if (imported && context_.stopped()) return std::unexpected(Error::from_errno(ECANCELED));
  return imported;
}

void HostImport::name_problems() {
  for (const auto* problems : {&report_.skipped, &report_.changed, &report_.incomplete}) {
    for (const Problem& problem : *problems) {
      context_.diagnostics.error(problem_text(problem.path, problem.error));
    }
  }
}

}  // namespace packfs::cli
