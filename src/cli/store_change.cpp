#include "cli/store_change.h"

#include <utility>

#include "cli/base_name.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"
#include "cli/report_json.h"

namespace packfs::cli {

bool StoreChange::begin() {
  auto store = open_store_to_write(arguments_.tree, context_);
  if (!store) {
    context_.diagnostics.error(store.error());
    return false;
  }
  store_.emplace(std::move(*store));
  auto transaction = store_->begin();
  if (!transaction) {
    fail(transaction.error());
    return false;
  }
  transaction_.emplace(std::move(*transaction));
  return true;
}

void StoreChange::count(const std::string& path, const Result<void>& result) {
  if (result) {
    any_done_ = true;
  } else {
    qualify(path, result.error());
  }
}

void StoreChange::qualify(const std::string& path, const Error& error) {
  problems_.push_back({.path = path.empty() ? "." : path, .error = error});
  context_.diagnostics.error(problem_text(path, error, arguments_.tree));
}

std::optional<std::uint64_t> StoreChange::commit() {
  if (context_.stopped()) return std::nullopt;
  const auto committed = transaction_->commit();
  if (committed) return *committed;
  fail(committed.error());
  return std::nullopt;
}

ExitCode StoreChange::finish() {
  const auto committed = any_done_ ? commit() : std::nullopt;
  if (any_done_ && !committed) return ExitCode::failed;
  if (arguments_.json) {
    Lines lines(arguments_, context_);
    lines.text(change_json(arguments_.tree, committed, problems_));
    lines.end();
  }
  if (problems_.empty()) return ExitCode::done;
  return any_done_ ? ExitCode::partial : ExitCode::failed;
}

void StoreChange::fail(const Error& error) { context_.diagnostics.error(error.with_path(arguments_.tree)); }

Result<void> explain_invalid(Result<void> result) {
  if (result || result.error().code() != ErrorCode::invalid) return result;
  return std::unexpected(result.error().with_note("a directory cannot go into itself"));
}

std::string destination(const Writable& tree, const std::string& from, const std::string& to) {
  const std::string_view name = base_name(from);
  const auto found = tree.stat(to);
  if (!found || found->type != FileType::directory || !names_itself(name)) return to;
  std::string path = to;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(name);
}

}  // namespace packfs::cli
