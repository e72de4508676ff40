#include "cli/record_fields.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "cli/escape.h"
#include "cli/mode_text.h"
#include "cli/time_text.h"

namespace packfs::cli {

namespace {

using log::Field;
using log::Record;
using log::RecordType;

constexpr std::array<std::pair<std::uint64_t, std::string_view>, 8> kFlagNames{
    {{log::kExchange, "exchange"},
     {log::kNoReplace, "no_replace"},
     {log::kWithParents, "with_parents"},
     {log::kLinkItself, "link_itself"},
     {log::kTakenAway, "taken_away"},
     {log::kEmptyDirectory, "empty_directory"},
     {log::kWholeTree, "whole_tree"},
     {log::kClosed, "closed"}}};

bool has(const Record& record, Field field) noexcept { return (record.fields & field) != 0; }
bool has_content(const Record& record) noexcept { return record.form != content::Form::none; }

std::string flags_text(const Record& record) {
  std::string text;
  for (const auto& [flag, name] : kFlagNames) {
    if ((record.flags & flag) == 0) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

std::string owner_text(std::uint32_t owner) { return owner == UINT32_MAX ? "-" : std::to_string(owner); }

}  // namespace

std::string_view record_type_text(RecordType type) noexcept {
  constexpr std::array<std::string_view, 18> kNames{
      "",      "mkdir",  "put",   "symlink", "special", "link",       "write", "truncate", "setattr",
      "xattr", "rename", "clone", "remove",  "commit",  "dictionary", "index", "extent",   "extent_map"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string record_fields_text(const Record& record) {
  std::string text;
  const auto add = [&text](std::string_view name, const auto& value) {
    if (!text.empty()) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}={}", name, value);
  };
  if (has(record, log::kKind)) add("kind", type_text(record.kind));
  if (has(record, log::kDevice)) add("device", fmt::format("{},{}", record.device_major, record.device_minor));
  if (has(record, log::kMode)) add("mode", fmt::format("{:04o}", record.mode));
  if (has(record, log::kOwner)) add("owner", owner_text(record.uid) + ":" + owner_text(record.gid));
  if (has(record, log::kSize)) add("size", record.size);
  if (has(record, log::kOffset)) add("offset", record.offset);
  if (has_content(record)) add("bytes", record.content_length);
  if (has(record, log::kMtime)) add("mtime", iso_nanoseconds(record.mtime));
  for (const log::XattrRef& xattr : record.xattrs) {
    add("xattr", fmt::format("{}({} bytes)", escaped(xattr.name), xattr.value.size()));
  }
  if (has(record, log::kFlags)) add("flags", flags_text(record));
  if (has(record, log::kInode)) add("inode", record.inode);
  if (has(record, log::kLinkId)) add("link_id", record.link_id);
  if (has(record, log::kCtime)) add("ctime", iso_nanoseconds(record.ctime));
  return text;
}

void set_record_fields(Json& object, const Record& record) {
  if (has(record, log::kKind)) object["kind"] = type_text(record.kind);
  if (has(record, log::kDevice)) {
    object["device_major"] = record.device_major;
    object["device_minor"] = record.device_minor;
  }
  if (has(record, log::kMode)) object["mode"] = fmt::format("{:04o}", record.mode);
  if (has(record, log::kOwner)) {
    object["uid"] = record.uid == UINT32_MAX ? Json() : Json(record.uid);
    object["gid"] = record.gid == UINT32_MAX ? Json() : Json(record.gid);
  }
  if (has(record, log::kSize)) object["size"] = record.size;
  if (has(record, log::kOffset)) object["offset_in_file"] = record.offset;
  if (has_content(record)) object["bytes"] = record.content_length;
  if (has(record, log::kMtime)) object["mtime"] = iso_nanoseconds(record.mtime);
  if (has(record, log::kXattrs)) {
    object["xattrs"] = Json::array();
    for (const log::XattrRef& xattr : record.xattrs) {
      Json element;
      set_bytes(element, "name", xattr.name);
      element["bytes"] = xattr.value.size();
      object["xattrs"].push_back(std::move(element));
    }
  }
  if (has(record, log::kFlags)) object["flags"] = flags_text(record);
  if (has(record, log::kInode)) object["inode"] = record.inode;
  if (has(record, log::kLinkId)) object["link_id"] = record.link_id;
  if (has(record, log::kCtime)) object["ctime"] = iso_nanoseconds(record.ctime);
}

}  // namespace packfs::cli
