#include "cli/commands.h"
#include "cli/store_change.h"

namespace packfs::cli {

ExitCode run_ln(const Arguments& arguments, Context& context) {
  return change_store(arguments, context, [&](StoreChange& store) {
    Transaction& transaction = store.transaction();
    const std::string& target = arguments.from;
    const std::string path = destination(transaction, target, arguments.to);
    if (arguments.symbolic) return store.count(path, transaction.symlink(target, path));
    if (const auto there = transaction.lstat(target); !there) {
      return store.count(target, std::unexpected(there.error()));
    }
    store.count(path + " -> " + target, transaction.link(target, path));
  });
}

}  // namespace packfs::cli
