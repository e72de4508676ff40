#include "cli/commands.h"
#include "cli/store_change.h"

namespace packfs::cli {

ExitCode run_mkdir(const Arguments& arguments, Context& context) {
  return change_store(arguments, context, [&](StoreChange& store) {
    for (const std::string& path : arguments.paths) {
      store.count(path, arguments.parents ? store.transaction().make_directories(path)
                                          : store.transaction().make_directory(path));
    }
  });
}

}  // namespace packfs::cli
