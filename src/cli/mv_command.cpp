#include "cli/commands.h"
#include "cli/store_change.h"

namespace packfs::cli {

ExitCode run_mv(const Arguments& arguments, Context& context) {
  return change_store(arguments, context, [&](StoreChange& store) {
    Transaction& transaction = store.transaction();
    if (const auto there = transaction.lstat(arguments.from); !there) {
      return store.count(arguments.from, std::unexpected(there.error()));
    }
    const std::string to = destination(transaction, arguments.from, arguments.to);
    store.count(arguments.from + " -> " + to, explain_invalid(transaction.rename(arguments.from, to)));
  });
}

}  // namespace packfs::cli
