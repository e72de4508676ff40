#include <algorithm>

#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/store_change.h"

namespace packfs::cli {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// Makes the file of what it is given, one piece behind the other.
class NewFile {
 public:
  NewFile(Transaction& transaction, const std::string& path, std::uint32_t mode)
      : transaction_(transaction), path_(path), mode_(mode) {}

  Result<void> add(std::span<const std::byte> piece) {
    if (is_made_ && piece.empty()) return {};
    auto written = is_made_ ? transaction_.append(path_, piece)
                            : transaction_.write(path_, piece, {.mode = mode_, .make_parents = true});
    is_made_ = true;
    size_ += piece.size();
    return written;
  }
  Result<void> add_hole(std::uint64_t length) {
    if (length == 0) return {};
    if (auto made = add({}); !made) return made;
    size_ += length;
    return transaction_.truncate(path_, size_);
  }

 private:
  Transaction& transaction_;
  const std::string& path_;
  std::uint32_t mode_;
  std::uint64_t size_ = 0;
  bool is_made_ = false;
};

/// All of the input, a piece at a time.
Result<void> write_input(Input& input, NewFile file) {
  const base::Buffer buffer(kPieceBytes);
  for (;;) {
    const auto stretch = input.next_stretch();
    if (!stretch) return std::unexpected(stretch.error());
    if (auto added = file.add_hole(stretch->hole); !added) return added;
    for (std::uint64_t left = stretch->data; left != 0;) {
      const auto piece = buffer.span().first(std::min<std::uint64_t>(left, kPieceBytes));
      const auto count = input.read(piece);
      if (!count) return std::unexpected(count.error());
      if (auto added = file.add(piece.first(*count)); !added) return added;
      if (*count < piece.size()) return {};
      left -= *count;
    }
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
    if (const auto written = write_input(*input, {store.transaction(), path, input->mode()}); !written) {
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
