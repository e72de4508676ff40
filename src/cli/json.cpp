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

std::string store_info_json(std::string_view store, const StoreInfo& info) {
  Json object;
  set_bytes(object, "path", store);
  object["store_id"] = fmt::format("{:016x}", info.store_id);
  object["created"] = iso_nanoseconds(info.created);
  object["segments"] = info.segments;
  object["journal_bytes"] = info.journal_bytes;
  object["last_commit"] = info.last_commit;
  object["entries"] = info.totals.entries;
  object["content_bytes"] = info.totals.bytes;
  object["linked_names"] = info.totals.linked_names;
  return json_text(object);
}

std::string verify_json(std::string_view pack, const VerifyReport& report) {
  return json_text(verify_object(pack, report));
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
