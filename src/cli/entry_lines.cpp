#include "cli/entry_lines.h"

#include <fmt/format.h>

#include "cli/json.h"
#include "cli/mode_text.h"
#include "cli/time_text.h"

namespace packfs::cli {

namespace {

/// Columns are wide enough for most; they cannot be measured first without holding the whole list.
std::string columns(const Stat& stat) {
  const std::string size =
      is_device(stat.type) ? fmt::format("{},{}", stat.device_major, stat.device_minor) : fmt::format("{}", stat.size);
  return fmt::format("{} {:>2} {:>5} {:>5} {:>10} {} ", mode_text(stat.type, stat.mode), stat.nlink, stat.uid, stat.gid,
                     size, iso_seconds(stat.mtime));
}

}  // namespace

void EntryLines::show_name(std::string_view path) {
  lines_.name(path);
  lines_.end();
}

void EntryLines::show(const Details& details) {
  if (json_) {
    lines_.text(entry_json(details));
    lines_.end();
    return;
  }
  if (long_format_) lines_.text(columns(details.stat));
  lines_.name(details.path);
  if (long_format_ && details.stat.type == FileType::symlink) {
    lines_.text(" -> ");
    lines_.name(details.target);
  }
  lines_.end();
}

}  // namespace packfs::cli
