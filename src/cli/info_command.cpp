#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/open_pack.h"
#include "cli/pack_id_text.h"

namespace packfs::cli {

ExitCode run_info(const Arguments& arguments, Context& context) {
  const auto pack = open_pack(arguments, context);
  if (!pack) {
    context.diagnostics.error(pack.error());
    return ExitCode::failed;
  }
  const PackInfo info = pack->info();
  Lines lines(arguments, context);
  if (arguments.json) {
    lines.text(info_json(arguments.pack, info));
    lines.end();
    return ExitCode::done;
  }
  const auto field = [&lines](std::string_view name, const auto& value) {
    lines.text(fmt::format("{:<15} {}", name, value));
    lines.end();
  };
  field("format version", info.format_version);
  field("pack id", pack_id_text(info));
  field("file bytes", info.file_bytes);
  field("log bytes", info.log_bytes);
  field("index bytes", info.index_bytes);
  field("directories", info.directories);
  field("entries", info.entries);
  field("content bytes", info.content_bytes);
  field("linked names", info.linked_names);
  field("records", info.records);
  return ExitCode::done;
}

}  // namespace packfs::cli
