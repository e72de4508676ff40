#include "cli/commands.h"
#include "cli/lines.h"
#include "cli/report_json.h"
#include "store/directory.h"
#include "store/store.h"

namespace packfs::cli {

namespace {

/// Errors: exists (a store, damaged or not); an errno of the host.
Result<void> refuse_store(const std::string& path, Context& context) {
  const auto directory = store::Directory::open(context.io, path);
  if (!directory && directory.error().code() == ErrorCode::no_entry) return {};
  if (!directory) return std::unexpected(directory.error());
  const auto manifest = directory->manifest();
  const bool is_there = manifest ? manifest->has_value() : manifest.error().code() == ErrorCode::corrupt;
  if (is_there) return std::unexpected(Error(ErrorCode::exists).with_path(path).with_note("a store is there"));
  if (!manifest) return std::unexpected(manifest.error());
  return {};
}

Result<void> make_store(const std::string& path, Context& context) {
  if (auto refused = refuse_store(path, context); !refused) return refused;
  const auto store = store::open(context.io, path, {});
  if (!store) return std::unexpected(store.error().with_path(path));
  return {};
}

}  // namespace

ExitCode run_init(const Arguments& arguments, Context& context) {
  const auto made = make_store(arguments.tree, context);
  if (!made) {
    context.diagnostics.error(made.error());
    return ExitCode::failed;
  }
  if (arguments.json) {
    Lines lines(arguments, context);
    lines.text(change_json(arguments.tree, 0, {}));
    lines.end();
  }
  return ExitCode::done;
}

}  // namespace packfs::cli
