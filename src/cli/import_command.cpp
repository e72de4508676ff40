#include <fcntl.h>

#include "cli/commands.h"
#include "cli/host_import.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"
#include "cli/report_json.h"
#include "cli/store_change.h"
#include "host/status.h"
#include "volume/transaction_sink.h"

namespace packfs::cli {

namespace {

class Importing {
 public:
  Importing(const Arguments& arguments, Context& context)
      : arguments_(arguments), context_(context), change_(arguments, context), import_("import", arguments, context) {}

  ExitCode run() {
    const auto source = look_at_source();
    if (!source) return fail(source.error());
    if (!change_.begin()) return ExitCode::failed;
    const auto store = exclude_store();
    if (!store) return fail(store.error());
    if (*store == *source) {
      context_.diagnostics.error(arguments_.directory + ": it is the store to write as well");
      return ExitCode::usage;
    }
    if (const auto taken = take_in(); !taken) return fail(taken.error());
    import_.name_problems();
    const auto commit = change_.commit();
    return commit ? finish(*commit) : ExitCode::failed;
  }

 private:
  /// Errors: not_a_directory; an errno of stat.
  [[nodiscard]] Result<host::FileIdentity> look_at_source() const {
    struct statx status{};
    const int known = context_.io.statx(AT_FDCWD, arguments_.directory.c_str(), 0, STATX_BASIC_STATS, &status);
    if (known < 0) return std::unexpected(Error::from_errno(-known).with_path(arguments_.directory));
    if (host::type_of(status) == FileType::directory) return host::identity_of(status);
    return std::unexpected(Error(ErrorCode::not_a_directory).with_path(arguments_.directory));
  }

  /// The store's own files, if they lie in the source, are left out. Returns which directory it is.
  Result<host::FileIdentity> exclude_store() {
    const auto store = find_store(arguments_.tree, context_);
    if (!store) return std::unexpected(store.error());
    const auto names = store->directory.names();
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      const auto file = host::status_at(context_.io, store->directory.get(), name.c_str());
      if (!file) return std::unexpected(store->directory.at(file.error(), name));
      import_.exclude(host::identity_of(*file));
    }
    const auto itself = host::status_of(context_.io, store->directory.get());
    if (!itself) return std::unexpected(itself.error().with_path(arguments_.tree));
    return host::identity_of(*itself);
  }

  Result<void> take_in() {
    std::string place = arguments_.paths.empty() ? "" : arguments_.paths.front();
    if (!place.empty()) {
      if (auto made = change_.transaction().make_directories(place); !made) {
        return std::unexpected(made.error().with_path(place));
      }
      place += '/';  // it may be a symlink to a directory
    }
    auto sink = volume::TransactionSink::at(change_.transaction(), place);
    if (!sink) return std::unexpected(sink.error().with_path(place));
    // With a slash, since a link to a directory is followed here.
    if (auto imported = import_.run({arguments_.directory + "/"}, *sink); !imported) return imported;
    return sink->finish();
  }

  ExitCode finish(std::uint64_t commit) {
    if (arguments_.json) {
      Lines lines(arguments_, context_);
      lines.text(import_json(arguments_.tree, commit, import_.report()));
      lines.end();
    }
    return import_.report().exact() ? ExitCode::done : ExitCode::partial;
  }

  ExitCode fail(const Error& error) {
    context_.diagnostics.error(error.with_path(arguments_.tree));
    return ExitCode::failed;
  }

  const Arguments& arguments_;
  Context& context_;
  StoreChange change_;
  HostImport import_;
};

}  // namespace

ExitCode run_import(const Arguments& arguments, Context& context) { return Importing(arguments, context).run(); }

}  // namespace packfs::cli
