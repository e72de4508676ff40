#include "cli/commands.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"
#include "cli/tree_export.h"

namespace packfs::cli {

ExitCode run_export(const Arguments& arguments, Context& context) {
  const auto root = open_tree(arguments.tree, arguments, context);
  if (!root) {
    context.diagnostics.error(root.error());
    return ExitCode::failed;
  }
  const std::string path = arguments.paths.empty() ? "" : arguments.paths.front();
  const auto directory = root->directory(path);
  if (!directory) {
    context.diagnostics.error(problem_text(path, directory.error(), arguments.tree));
    return ExitCode::failed;
  }
  return TreeExport("export", arguments, context).run(*directory, {}, path);
}

}  // namespace packfs::cli
