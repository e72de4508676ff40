#include <algorithm>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cli/base64.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"

namespace packfs::cli {

namespace {

/// A multiple of 3, so that pieces of base64 join; four blocks of checksummed content, nearly.
constexpr std::size_t kPieceBytes = std::size_t{3} << 18;

/// Writes a file's content, in base64 when `in_base64`. Ends early when the command is stopped.
Result<void> write_content(const File& file, bool in_base64, Context& context) {
  const base::Buffer buffer(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kPieceBytes)));
  for (std::uint64_t offset = 0; offset < file.size() && !context.stopped();) {
    const auto count = file.read(offset, buffer.span());
    if (!count) return std::unexpected(count.error());
    const auto piece = buffer.span().first(*count);
    context.output.write(in_base64 ? std::string_view(base64(piece)) : base::as_text(piece));
    offset += *count;
    if (*count == 0) break;
  }
  return {};
}

/// One file, framed as the arguments ask for. False, and named on the diagnostics, when it is not whole.
bool write_file(const View& view, const std::string& path, const Arguments& arguments, Context& context) {
  const auto file = view.open(path);
  if (!file) {
    context.diagnostics.error(problem_text(path, file.error(), arguments.tree));
    return false;
  }
  if (arguments.json) context.output.write(content_json_begin(path, file->size()));
  const auto written = write_content(*file, arguments.json, context);
  const std::string problem = written ? "" : problem_text(path, written.error(), arguments.tree);
  if (arguments.json) context.output.write(content_json_end(problem));
  if (arguments.json || arguments.nul) Lines(arguments, context).end();
  if (!written) context.diagnostics.error(problem);
  return written.has_value();
}

}  // namespace

ExitCode run_cat(const Arguments& arguments, Context& context) {
  const auto root = open_tree(arguments.tree, arguments, context);
  if (!root) {
    context.diagnostics.error(root.error());
    return ExitCode::failed;
  }
  const View& view = *root;
  Tally tally;
  for (const std::string& path : arguments.paths) {
    if (write_file(view, path, arguments, context)) {
      tally.done();
    } else {
      tally.failed();
    }
  }
  return tally.exit_code();
}

}  // namespace packfs::cli
