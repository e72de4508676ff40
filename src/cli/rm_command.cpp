#include "cli/commands.h"
#include "cli/store_change.h"

namespace packfs::cli {

namespace {

Result<void> remove(const std::string& path, bool recursive, Transaction& transaction) {
  if (recursive) return transaction.remove_tree(path);
  auto removed = transaction.unlink(path);
  if (removed || removed.error().code() != ErrorCode::is_a_directory) return removed;
  return std::unexpected(removed.error().with_note("-r removes directories"));
}

}  // namespace

ExitCode run_rm(const Arguments& arguments, Context& context) {
  return change_store(arguments, context, [&](StoreChange& store) {
    for (const std::string& path : arguments.paths) {
      store.count(path, remove(path, arguments.recursive, store.transaction()));
    }
  });
}

}  // namespace packfs::cli
