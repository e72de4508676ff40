#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/store_change.h"

namespace packfs::cli {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// All of the input, a piece at a time.
Result<void> write_input(Input& input, const std::string& path, Transaction& transaction) {
  const base::Buffer buffer(kPieceBytes);
  const CreateOptions options{.mode = input.mode(), .make_parents = true};
  for (bool is_first = true;; is_first = false) {
    const auto count = input.read(buffer.span());
    if (!count) return std::unexpected(count.error());
    const auto piece = buffer.span().first(*count);
    auto written = Result<void>();
    if (is_first) {
      written = transaction.write(path, piece, options);
    } else if (!piece.empty()) {
      written = transaction.append(path, piece);
    }
    if (!written || piece.size() < kPieceBytes) return written;
  }
}

}  // namespace

ExitCode run_put(const Arguments& arguments, Context& context) {
  const std::string& path = arguments.paths.front();
  auto input = Input::open(arguments.file, context);
  if (!input) {
    context.diagnostics.error(input.error());
    return ExitCode::failed;
  }
  return change_store(arguments, context, [&](StoreChange& store) {
    if (const auto written = write_input(*input, path, store.transaction()); !written) {
      return store.count(path, written);
    }
    store.count(path, {});
    const auto changed = input->has_changed();
    if (!changed) {
      store.qualify(path, changed.error());
    } else if (*changed) {
      store.qualify(path, Error(ErrorCode::stale).with_path(input->name()).with_note("it changed while it was read"));
    }
  });
}

}  // namespace packfs::cli
