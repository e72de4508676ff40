#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/open_tree.h"
#include "cli/pack_id_text.h"
#include "cli/store_info.h"
#include "cli/time_text.h"

namespace packfs::cli {

namespace {

template <class Value>
void show_field(std::string_view name, const Value& value, Lines& lines) {
  lines.text(fmt::format("{:<15} {}", name, value));
  lines.end();
}

void show_pack(const PackInfo& info, Lines& lines) {
  show_field("format version", info.format_version, lines);
  show_field("pack id", pack_id_text(info), lines);
  show_field("file bytes", info.file_bytes, lines);
  show_field("log bytes", info.log_bytes, lines);
  show_field("index bytes", info.index_bytes, lines);
  show_field("directories", info.directories, lines);
  show_field("entries", info.entries, lines);
  show_field("content bytes", info.content_bytes, lines);
  show_field("linked names", info.linked_names, lines);
  show_field("records", info.records, lines);
}

void show_store(const StoreInfo& info, Lines& lines) {
  show_field("store id", fmt::format("{:016x}", info.store_id), lines);
  show_field("created", iso_nanoseconds(info.created), lines);
  show_field("segments", info.segments, lines);
  show_field("journal bytes", info.journal_bytes, lines);
  show_field("last commit", info.last_commit, lines);
  show_field("entries", info.totals.entries, lines);
  show_field("content bytes", info.totals.bytes, lines);
  show_field("linked names", info.totals.linked_names, lines);
}

void show(const std::string& path, const PackInfo& info, bool json, Lines& lines) {
  if (!json) return show_pack(info, lines);
  lines.text(info_json(path, info));
  lines.end();
}

void show(const std::string& path, const StoreInfo& info, bool json, Lines& lines) {
  if (!json) return show_store(info, lines);
  lines.text(store_info_json(path, info));
  lines.end();
}

}  // namespace

ExitCode run_info(const Arguments& arguments, Context& context) {
  const auto fail = [&](const Error& error) {
    context.diagnostics.error(error);
    return ExitCode::failed;
  };
  Lines lines(arguments, context);
  const auto is_store = names_store(arguments.tree, context);
  if (!is_store) return fail(is_store.error());
  if (*is_store) {
    const auto info = read_store_info(arguments.tree, context);
    if (!info) return fail(info.error());
    show(arguments.tree, *info, arguments.json, lines);
  } else {
    const auto pack = open_pack(arguments.tree, arguments, context);
    if (!pack) return fail(pack.error());
    show(arguments.tree, pack->info(), arguments.json, lines);
  }
  return ExitCode::done;
}

}  // namespace packfs::cli
