#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/details.h"
#include "cli/store_info.h"
#include "packfs/error.h"
#include "packfs/pack.h"

namespace packfs::cli {

/// JSON documents, one line of ASCII each, without a newline. A byte string is `key` where it is UTF-8, else
/// `key_base64`.

/// "path", "type", "mode" (octal, as text), "uid", "gid", "nlink", "size", "inode", "mtime" (ISO 8601),
/// "mtime_seconds", "mtime_nanoseconds"; where there is one "link_id", "target", "device_major", "device_minor";
/// where asked for "xattrs": [{"name", "value_base64"}].
[[nodiscard]] std::string entry_json(const Details& details);

/// The fields of PackInfo, `pack_id` in hexadecimal.
[[nodiscard]] std::string info_json(std::string_view pack, const PackInfo& info);

/// "path", "store_id" (hexadecimal), "created", "segments", "journal_bytes", "last_commit", "entries", "content_bytes",
/// "linked_names".
[[nodiscard]] std::string store_info_json(std::string_view store, const StoreInfo& info);

/// "path", "whole", the numbers of VerifyReport, "damage": [{"path", "offset", "message"}].
[[nodiscard]] std::string verify_json(std::string_view pack, const VerifyReport& report);

/// "path", "size", "content_base64" in pieces, so that a content of any size streams: the document as far as the
/// content, then (not here) its base64, then the end, which has an "error" where the content broke off.
[[nodiscard]] std::string content_json_begin(std::string_view path, std::uint64_t size);
[[nodiscard]] std::string content_json_end(std::string_view error);

}  // namespace packfs::cli
