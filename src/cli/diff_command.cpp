#include "cli/commands.h"
#include "cli/json_value.h"
#include "cli/lines.h"
#include "cli/open_tree.h"

namespace packfs::cli {

namespace {

using Kind = Change::Kind;

struct KindText {
  std::string_view letter;
  std::string_view word;
};

KindText text_of(Kind kind) {
  switch (kind) {
    case Kind::added:
      return {"A ", "added"};
    case Kind::removed:
      return {"D ", "removed"};
    case Kind::changed:
      return {"M ", "changed"};
    case Kind::renamed:
      break;
  }
  return {"R ", "renamed"};
}

/// The root has no name of its own.
std::string_view shown(const std::string& path) { return path.empty() ? std::string_view(".") : path; }

std::string change_text(const Change& change) {
  Json object;
  object["change"] = text_of(change.kind).word;
  set_bytes(object, "path", shown(change.path));
  if (change.kind == Kind::renamed) set_bytes(object, "from", change.from);
  return json_text(object);
}

void show(const Change& change, const Arguments& arguments, Lines& lines) {
  if (arguments.json) {
    lines.text(change_text(change));
    lines.end();
    return;
  }
  lines.text(text_of(change.kind).letter);
  if (change.kind == Kind::renamed) {
    lines.name(change.from);
    if (arguments.nul) {
      lines.end();
    } else {
      lines.text(" -> ");
    }
  }
  lines.name(shown(change.path));
  lines.end();
}

}  // namespace

ExitCode run_diff(const Arguments& arguments, Context& context) {
  const auto before = open_tree(arguments.tree, arguments, context);
  const auto after = before ? open_tree(arguments.to, arguments, context) : before;
  if (!after) {
    context.diagnostics.error(after.error());
    return ExitCode::failed;
  }
  const auto changes = diff(*before, *after);
  if (!changes) {
    context.diagnostics.error(changes.error());
    return ExitCode::failed;
  }
  Lines lines(arguments, context);
  for (const Change& change : *changes) {
    if (context.stopped()) break;
    show(change, arguments, lines);
  }
  return ExitCode::done;
}

}  // namespace packfs::cli
