#pragma once

#include <string>
#include <string_view>

#include "cli/json_value.h"
#include "log/format.h"
#include "log/record.h"

namespace packfs::cli {

/// "mkdir", "put", ... as docs/format.md section 2.1 names them.
[[nodiscard]] std::string_view record_type_text(log::RecordType type) noexcept;

/// "mode=0644 owner=0:0 bytes=6 ...": each field the record has, but its paths; without anything a terminal could be
/// driven by. "-" stands for an owner that is left as it is.
[[nodiscard]] std::string record_fields_text(const log::Record& record);

/// The same as JSON: "mode", "uid", "gid", "kind", "device_major", "device_minor", "size", "offset_in_file", "bytes",
/// "mtime", "xattrs": [{"name", "bytes"}], "flags" (their name), "inode", "link_id", "ctime".
void set_record_fields(Json& object, const log::Record& record);

}  // namespace packfs::cli
