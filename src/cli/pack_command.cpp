#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/import_problems.h"
#include "cli/lines.h"
#include "cli/problem_text.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "cli/source_names.h"
#include "host/import.h"
#include "host/status.h"
#include "pack/output_file.h"
#include "pack/writer.h"

namespace packfs::cli {

namespace {

constexpr unsigned kMaxDefaultThreads = 16;

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxDefaultThreads); }

class Packing {
 public:
  Packing(const Arguments& arguments, Context& context) : arguments_(arguments), context_(context) {}

  ExitCode run() {
    if (to_standard_output() && context_.streams.out_is_terminal) {
      return refuse("standard output is a terminal, a pack is not written there");
    }
    const auto sources = named_sources(context_.io, arguments_.paths);
    if (!sources) {
      const ErrorCode code = sources.error().code();
      const bool wrong_usage = code == ErrorCode::invalid || code == ErrorCode::exists;
      return wrong_usage ? refuse(sources.error().message()) : fail(sources.error());
    }
    if (const auto found = look_at_replaced(); !found) return fail(found.error());
    if (const auto source = replaced_source(*sources)) return refuse(*source + ": it is the pack to write as well");
    return to_standard_output() ? write_to_standard_output(*sources) : write_to_file(*sources);
  }

 private:
  [[nodiscard]] bool to_standard_output() const { return arguments_.tree == "-"; }

  /// The file that will be replaced, if there is one, is kept out of the pack.
  Result<void> look_at_replaced() {
    if (to_standard_output()) return {};
    struct statx status{};
    const int code = context_.io.statx(AT_FDCWD, arguments_.tree.c_str(), 0, STATX_BASIC_STATS, &status);
    if (code == -ENOENT) return {};
    if (code < 0) return std::unexpected(Error::from_errno(-code));
    exclude_.push_back(host::identity_of(status));
    return {};
  }

  /// The first source that will be replaced: it would be kept out of the pack, and be lost.
  std::optional<std::string> replaced_source(const std::vector<std::string>& sources) {
    for (const std::string& source : sources) {
      const auto status = host::status_at(context_.io, AT_FDCWD, source.c_str());
      if (status && std::ranges::find(exclude_, host::identity_of(*status)) != exclude_.end()) return source;
    }
    return std::nullopt;
  }

  ExitCode write_to_file(const std::vector<std::string>& sources) {
    auto file = pack::OutputFile::create(context_.io, arguments_.tree);
    if (!file) return fail(file.error());
    const auto info = write(sources, file->descriptor());
    if (!info) return fail(info.error());
    if (const auto committed = file->commit(); !committed) return fail(committed.error());
    return finish(*info);
  }

  ExitCode write_to_standard_output(const std::vector<std::string>& sources) {
    const auto info = write(sources, context_.streams.out);
    if (info) return finish(*info);
    // Who reads it went away: nobody is left to be told, as for any other output.
    if (info.error().to_errno() == EPIPE) return ExitCode::failed;
    return fail(info.error());
  }

  Result<PackInfo> write(const std::vector<std::string>& sources, int descriptor) {
    const auto status = host::status_of(context_.io, descriptor);
    if (!status) return std::unexpected(status.error());
    // A pipe or a device in the tree is not this output, even where it is the same one.
    if (host::type_of(*status) == FileType::regular) exclude_.push_back(host::identity_of(*status));
    BuildOptions options;
    options.codec = arguments_.codec;
    const auto writer = pack::Writer::create(context_.io, descriptor, options);
    if (!writer) return std::unexpected(writer.error());
    if (const auto imported = import(sources, **writer); !imported) return std::unexpected(imported.error());
    if (context_.stopped()) return std::unexpected(Error::from_errno(ECANCELED));
    return (*writer)->finish();
  }

  Result<void> import(const std::vector<std::string>& sources, tree::Sink& sink) {
    Progress progress("pack", context_.diagnostics);
    host::ImportOptions options;
    options.threads = arguments_.threads == 0 ? default_threads() : arguments_.threads;
    options.exclude = exclude_;
    options.progress = [&progress, this](std::uint64_t entries, std::uint64_t bytes) {
      progress.show_count(entries, bytes);
      return !context_.stopped();
    };
    auto imported = host::import_tree(context_.io, sources, sink, options, report_);
    context_.diagnostics.clear_progress();
    return imported;
  }

  ExitCode finish(const PackInfo& info) {
    name_problems(report_, context_.diagnostics);
    if (arguments_.json) {
      Lines lines(arguments_, context_);
      lines.text(pack_json(arguments_.tree, info, report_));
      lines.end();
    }
    return report_.exact() ? ExitCode::done : ExitCode::partial;
  }

  /// An error that is not about a source as it was given is one of the output, met at its path if it has one.
  ExitCode fail(const Error& error) {
    const std::string output = to_standard_output() ? "standard output" : arguments_.tree;
    const bool of_source = std::ranges::find(arguments_.paths, error.path()) != arguments_.paths.end();
    context_.diagnostics.error(of_source ? error.message() : problem_text(output, error));
    return ExitCode::failed;
  }

  ExitCode refuse(const std::string& reason) {
    context_.diagnostics.error(reason);
    return ExitCode::usage;
  }

  const Arguments& arguments_;
  Context& context_;
  std::vector<host::FileIdentity> exclude_;
  host::ImportReport report_;
};

}  // namespace

ExitCode run_pack(const Arguments& arguments, Context& context) { return Packing(arguments, context).run(); }

}  // namespace packfs::cli
