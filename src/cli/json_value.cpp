#include "cli/json_value.h"

#include "base/bytes.h"
#include "cli/base64.h"
#include "cli/pack_id_text.h"
#include "cli/utf8.h"

namespace packfs::cli {

namespace {

Json damage_json(const Error& damage) {
  Json element;
  if (!damage.path().empty()) set_bytes(element, "path", damage.path());
  if (damage.offset()) element["offset"] = *damage.offset();
  set_bytes(element, "message", damage.message());
  return element;
}

}  // namespace

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

Json verify_object(std::string_view path, const VerifyReport& report) {
  Json object;
  set_bytes(object, "path", path);
  object["whole"] = report.damages == 0;
  object["bytes_checked"] = report.bytes_checked;
  object["records_checked"] = report.records_checked;
  object["entries_checked"] = report.entries_checked;
  object["damages"] = report.damages;
  object["damage"] = damages_json(report.damage);
  return object;
}

Json damages_json(std::span<const Error> damage) {
  Json list = Json::array();
  for (const Error& one : damage) list.push_back(damage_json(one));
  return list;
}

}  // namespace packfs::cli
