#include "cli/commands.h"
#include "cli/store_change.h"

namespace packfs::cli {

namespace {

/// A path beside `path` that nothing has.
Result<std::string> free_path_beside(const std::string& path, const Transaction& transaction) {
  const std::string directory = path.substr(0, path.find_last_of('/') + 1);
  for (std::uint64_t number = 0;; ++number) {
    std::string candidate = directory + ".packfs-copy-" + std::to_string(number);
    const auto taken = transaction.exists(candidate);
    if (!taken) return std::unexpected(taken.error());
    if (!*taken) return candidate;
  }
}

/// The copy is made aside and moved into its place, so that a file may be copied onto itself.
Result<void> copy_over(const std::string& from, const std::string& to, Transaction& transaction) {
  const auto aside = free_path_beside(to, transaction);
  if (!aside) return std::unexpected(aside.error());
  if (auto cloned = transaction.clone(from, *aside); !cloned) return cloned;
  return transaction.rename(*aside, to);
}

Result<void> copy(const std::string& from, FileType type, const std::string& to, Transaction& transaction) {
  const auto there = transaction.lstat(to);
  const bool is_replaced = there && there->type != FileType::directory && type != FileType::directory;
  return is_replaced ? copy_over(from, to, transaction) : transaction.clone(from, to);
}

}  // namespace

ExitCode run_cp(const Arguments& arguments, Context& context) {
  return change_store(arguments, context, [&](StoreChange& store) {
    Transaction& transaction = store.transaction();
    const auto there = transaction.lstat(arguments.from);
    if (!there) return store.count(arguments.from, std::unexpected(there.error()));
    if (there->type == FileType::directory && !arguments.recursive) {
      const Error refused = Error(ErrorCode::is_a_directory).with_note("-r copies directories");
      return store.count(arguments.from, std::unexpected(refused));
    }
    const std::string to = destination(transaction, arguments.from, arguments.to);
    store.count(arguments.from + " -> " + to, explain_invalid(copy(arguments.from, there->type, to, transaction)));
  });
}

}  // namespace packfs::cli
