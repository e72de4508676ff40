#include "cli/json.h"

#include <fmt/format.h>

#include "cli/base64.h"
#include "cli/json_value.h"
#include "cli/mode_text.h"
#include "cli/time_text.h"

namespace packfs::cli {

namespace {

Json xattrs_json(const std::vector<Xattr>& xattrs) {
  Json list = Json::array();
  for (const Xattr& xattr : xattrs) {
    Json element;
    set_bytes(element, "name", xattr.name);
    element["value_base64"] = base64(xattr.value);
    list.push_back(std::move(element));
  }
  return list;
}

Json damage_json(const Error& damage) {
  Json element;
  if (!damage.path().empty()) set_bytes(element, "path", damage.path());
  if (damage.offset()) element["offset"] = *damage.offset();
  set_bytes(element, "message", damage.message());
  return element;
}

}  // namespace

std::string entry_json(const Details& details) {
  const Stat& stat = details.stat;
  Json object;
  set_bytes(object, "path", details.path);
  object["type"] = type_text(stat.type);
  object["mode"] = fmt::format("{:04o}", stat.mode);
  object["uid"] = stat.uid;
  object["gid"] = stat.gid;
  object["nlink"] = stat.nlink;
  object["size"] = stat.size;
  object["inode"] = stat.inode;
  object["mtime"] = iso_nanoseconds(stat.mtime);
  object["mtime_seconds"] = stat.mtime.seconds;
  object["mtime_nanoseconds"] = stat.mtime.nanoseconds;
  if (stat.link_id != 0) object["link_id"] = stat.link_id;
  if (stat.type == FileType::symlink) set_bytes(object, "target", details.target);
  if (is_device(stat.type)) {
    object["device_major"] = stat.device_major;
    object["device_minor"] = stat.device_minor;
  }
  if (details.xattrs) object["xattrs"] = xattrs_json(*details.xattrs);
  return json_text(object);
}

std::string info_json(std::string_view pack, const PackInfo& info) { return json_text(info_object(pack, info)); }

std::string verify_json(std::string_view pack, const VerifyReport& report) {
  Json object;
  set_bytes(object, "path", pack);
  object["whole"] = report.damages == 0;
  object["bytes_checked"] = report.bytes_checked;
  object["records_checked"] = report.records_checked;
  object["entries_checked"] = report.entries_checked;
  object["damages"] = report.damages;
  object["damage"] = Json::array();
  for (const Error& damage : report.damage) object["damage"].push_back(damage_json(damage));
  return json_text(object);
}

std::string content_json_begin(std::string_view path, std::uint64_t size) {
  Json object;
  set_bytes(object, "path", path);
  object["size"] = size;
  object["content_base64"] = "";
  std::string text = json_text(object);
  text.resize(text.size() - content_json_end("").size());
  return text;
}

std::string content_json_end(std::string_view error) {
  if (error.empty()) return "\"}";
  Json object;
  set_bytes(object, "error", error);
  return "\"," + json_text(object).substr(1);
}

}  // namespace packfs::cli
