#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/details.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/mode_text.h"
#include "cli/open_tree.h"
#include "cli/problem_text.h"
#include "cli/time_text.h"

namespace packfs::cli {

namespace {

class StatText {
 public:
  explicit StatText(Lines& lines) noexcept : lines_(lines) {}

  void show(const Details& details) {
    const Stat& stat = details.stat;
    named("path", details.path);
    field("type", type_text(stat.type));
    if (stat.type == FileType::symlink) named("target", details.target);
    if (is_device(stat.type)) field("device", fmt::format("{},{}", stat.device_major, stat.device_minor));
    field("mode", fmt::format("{:04o} {}", stat.mode, mode_text(stat.type, stat.mode)));
    field("uid", stat.uid);
    field("gid", stat.gid);
    field("links", stat.nlink);
    field("size", stat.size);
    field("inode", stat.inode);
    field("modified", iso_nanoseconds(stat.mtime));
    for (const Xattr& xattr : *details.xattrs) {
      label("xattr");
      lines_.name(xattr.name);
      lines_.text(fmt::format(" ({} bytes)", xattr.value.size()));
      lines_.end();
    }
  }

 private:
  void label(std::string_view label) { lines_.text(fmt::format("{:<9}", label)); }
  template <class Value>
  void field(std::string_view name, const Value& value) {
    label(name);
    lines_.text(fmt::format("{}", value));
    lines_.end();
  }
  void named(std::string_view name, std::string_view bytes) {
    label(name);
    lines_.name(bytes);
    lines_.end();
  }

  Lines& lines_;
};

Result<Details> read_all(const View& view, const std::string& path) {
  auto details = read_details(view, path);
  if (!details) return details;
  auto xattrs = view.xattrs(path);
  if (!xattrs) return std::unexpected(xattrs.error());
  details->xattrs = *std::move(xattrs);
  return details;
}

}  // namespace

ExitCode run_stat(const Arguments& arguments, Context& context) {
  const auto root = open_tree(arguments.tree, arguments, context);
  if (!root) {
    context.diagnostics.error(root.error());
    return ExitCode::failed;
  }
  const View& view = *root;
  Lines lines(arguments, context);
  Tally tally;
  for (const std::string& path : arguments.paths) {
    const auto details = read_all(view, path);
    if (!details) {
      context.diagnostics.error(problem_text(path, details.error(), arguments.tree));
      tally.failed();
      continue;
    }
    if (arguments.json) {
      lines.text(entry_json(*details));
      lines.end();
    } else {
      if (tally.any_done()) lines.end();
      StatText(lines).show(*details);
    }
    tally.done();
  }
  return tally.exit_code();
}

}  // namespace packfs::cli
