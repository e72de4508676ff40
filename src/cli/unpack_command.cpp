#include "cli/commands.h"
#include "cli/open_tree.h"
#include "cli/tree_export.h"

namespace packfs::cli {

ExitCode run_unpack(const Arguments& arguments, Context& context) {
  const auto root = open_tree(arguments.tree, arguments, context);
  if (!root) {
    context.diagnostics.error(root.error());
    return ExitCode::failed;
  }
  return TreeExport("unpack", arguments, context).run(*root, arguments.paths);
}

}  // namespace packfs::cli
