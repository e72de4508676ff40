#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "packfs/error.h"
#include "packfs/host_tree.h"
#include "packfs/volume.h"

namespace packfs::cli {

/// The one transaction in which a command changes a store: what of it could be done is there at once and durable, or
/// nothing is. Whatever goes wrong is named on the diagnostics. Borrows both. One thread.
class StoreChange {
 public:
  StoreChange(const Arguments& arguments, Context& context) : arguments_(arguments), context_(context) {}

  /// Opens the store. False when it cannot be: then exit_code() is the command's.
  [[nodiscard]] bool begin();
  /// After begin().
  [[nodiscard]] Transaction& transaction() noexcept { return *transaction_; }

  /// Says what came of `path`.
  void count(const std::string& path, const Result<void>& result);
  /// `path` was done, but not as it should have been.
  void qualify(const std::string& path, const Error& error);

  /// Commits all that was done; the commit's number, nothing when that failed. A stopped command commits nothing.
  [[nodiscard]] std::optional<std::uint64_t> commit();
  /// commit(), if anything was done, and prints a result if one was asked for. Call last, if at all: a change that goes
  /// without either never was.
  [[nodiscard]] ExitCode finish();

 private:
  void fail(const Error& error);

  const Arguments& arguments_;
  Context& context_;
  std::optional<Volume> store_;
  std::optional<Transaction> transaction_;  // ends before the store is closed
  std::vector<Problem> problems_;
  bool any_done_ = false;
};

/// Opens the store, lets `change` do its part in the transaction, and commits.
template <class Change>
ExitCode change_store(const Arguments& arguments, Context& context, Change change) {
  StoreChange store(arguments, context);
  if (!store.begin()) return ExitCode::failed;
  change(store);
  return store.finish();
}

/// A move or copy that failed as invalid says that a directory cannot go into itself.
[[nodiscard]] Result<void> explain_invalid(Result<void> result);

/// Where an entry goes that was given `to`: into it under the base name of `from` if it is a directory or a symlink to
/// one, as mv(1) has it.
[[nodiscard]] std::string destination(const Writable& tree, const std::string& from, const std::string& to);

}  // namespace packfs::cli
