#include "cli/commands.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/report_json.h"
#include "store/store.h"

namespace packfs::cli {

namespace {

/// Errors: exists (a store, damaged or not); an errno of the host.
Result<void> refuse_store(const std::string& path, Context& context) {
  const auto found = find_store(path, context);
  if (!found && found.error().code() == ErrorCode::no_entry) return {};
  if (!found && found.error().code() != ErrorCode::corrupt) return std::unexpected(found.error());
  return std::unexpected(Error(ErrorCode::exists).with_path(path).with_note("a store is there"));
}

Result<void> make_store(const std::string& path, Context& context) {
  if (auto refused = refuse_store(path, context); !refused) return refused;
  const auto store = store::open(context.io, path, {});
  if (store) return {};
  if (store.error().code() != ErrorCode::corrupt) return std::unexpected(store.error().with_path(path));
  return std::unexpected(
      Error(ErrorCode::not_empty).with_path(path).with_note("a store is made in an empty directory only"));
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
