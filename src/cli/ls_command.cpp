#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/entry_lines.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"
#include "cli/walk.h"
#include "tree/table.h"

namespace packfs::cli {

namespace {

/// What `ls` does with one PATH after another.
class Lister {
 public:
  Lister(const View& root, const Arguments& arguments, Context& context)
      : root_(root), arguments_(arguments), context_(context), lines_(arguments, context) {}

  void list(const std::string& path) {
    const auto type = shown_type(path);
    if (!type) {
      fail(path, type.error());
    } else if (*type != FileType::directory) {
      show(path, read_details(root_, path));
    } else if (const auto directory = root_.directory(path); !directory) {
      fail(path, directory.error());
    } else if (arguments_.recursive) {
      list_below(path, *directory);
    } else {
      list_in(path, *directory);
    }
  }

  [[nodiscard]] ExitCode exit_code() const noexcept { return tally_.exit_code(); }

 private:
  /// A symlink counts as what it leads to, but as itself with -l, or when it leads nowhere.
  [[nodiscard]] Result<FileType> shown_type(const std::string& path) const {
    const auto itself = root_.lstat(path);
    if (!itself) return std::unexpected(itself.error());
    if (itself->type != FileType::symlink || arguments_.long_format) return itself->type;
    const auto followed = root_.stat(path);
    return followed && followed->type == FileType::directory ? FileType::directory : FileType::symlink;
  }

  void list_in(const std::string& path, const View& directory) {
    tally_.done();
    for (const Result<Entry>& entry : directory.list()) {
      if (context_.stopped()) return;
      if (entry) {
        show(shown_path(path, entry->name()), *entry);
      } else {
        fail(path, entry.error());
      }
    }
  }

  void list_below(const std::string& path, const View& directory) {
    tally_.done();
    Walk walk(directory.table(), directory.node());
    while (!context_.stopped() && walk.advance()) {
      if (walk.current()) {
        show(shown_path(path, walk.path()), *walk.current());
      } else {
        fail(joined(path, walk.path()), walk.current().error());
      }
    }
  }

  void show(const std::string& path, const Entry& entry) {
    if (lines_.needs_details()) {
      show(path, read_details(*root_.table(), entry.node(), path));
    } else {
      lines_.show_name(path);
    }
  }

  void show(const std::string& path, const Result<Details>& details) {
    if (!details) {
      fail(path, details.error());
      return;
    }
    lines_.show(*details);
    tally_.done();
  }

  void fail(const std::string& path, const Error& error) {
    context_.diagnostics.error(problem_text(path, error, arguments_.tree));
    tally_.failed();
  }

  /// With several PATHs each name is shown below its own.
  [[nodiscard]] std::string shown_path(std::string_view path, std::string_view below) const {
    return arguments_.paths.size() < 2 ? std::string(below) : joined(path, below);
  }

  [[nodiscard]] static std::string joined(std::string_view path, std::string_view below) {
    std::string whole(path);
    if (!whole.empty() && !whole.ends_with('/') && !below.empty()) whole += '/';
    return whole.append(below);
  }

  const View& root_;
  const Arguments& arguments_;
  Context& context_;
  EntryLines lines_;
  Tally tally_;
};

}  // namespace

ExitCode run_ls(const Arguments& arguments, Context& context) {
  const auto root = open_tree(arguments.tree, arguments, context);
  if (!root) {
    context.diagnostics.error(root.error());
    return ExitCode::failed;
  }
  Lister lister(*root, arguments, context);
  if (arguments.paths.empty()) lister.list("");
  for (const std::string& path : arguments.paths) lister.list(path);
  return lister.exit_code();
}

}  // namespace packfs::cli
