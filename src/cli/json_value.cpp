#include "cli/json_value.h"

#include "base/bytes.h"
#include "cli/base64.h"
#include "cli/pack_id_text.h"
#include "cli/utf8.h"

namespace packfs::cli {

std::string json_text(const Json& value) { return value.dump(-1, ' ', true); }

void set_bytes(Json& object, const std::string& key, std::string_view bytes) {
  if (is_utf8(bytes)) {
    object[key] = bytes;
  } else {
    object[key + "_base64"] = base64(base::as_bytes(bytes));
  }
}

Json info_object(std::string_view pack, const PackInfo& info) {
  Json object;
  set_bytes(object, "path", pack);
  object["format_version"] = info.format_version;
  object["pack_id"] = pack_id_text(info);
  object["file_bytes"] = info.file_bytes;
  object["log_bytes"] = info.log_bytes;
  object["index_bytes"] = info.index_bytes;
  object["directories"] = info.directories;
  object["entries"] = info.entries;
  object["content_bytes"] = info.content_bytes;
  object["linked_names"] = info.linked_names;
  object["records"] = info.records;
  return object;
}

}  // namespace packfs::cli
