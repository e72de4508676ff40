#include "log/operation_record.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"

namespace packfs::log {
namespace {

using Operation = tree::Operation;
using Kind = Operation::Kind;

void set(Record& record, RecordType type, std::uint32_t fields, std::uint64_t flag = 0) {
  record.type = type;
  record.fields |= fields;
  if (flag != 0) record.fields |= kFlags;
  record.flags = flag;
}

void set_given(Record& record, const Attributes& given) {
  record.fields |= kMode | kOwner | kMtime;
  record.mode = given.mode;
  record.uid = given.uid;
  record.gid = given.gid;
  record.mtime = given.mtime;
  if (given.xattrs.empty()) return;
  record.fields |= kXattrs;
  for (const Xattr& xattr : given.xattrs) record.xattrs.push_back({xattr.name, xattr.value});
  std::ranges::sort(record.xattrs, {}, &XattrRef::name);
}

/// A record that makes something: who owns it, and what else was given.
void set_made(Record& record, RecordType type, const Operation& what, const Setting& setting, std::uint64_t flag = 0) {
  set(record, type, kMode | kOwner, flag);
  record.mode = what.mode;
  record.uid = setting.stamp.uid;
  record.gid = setting.stamp.gid;
  if (what.attributes != nullptr) set_given(record, *what.attributes);
}

std::uint64_t flag_of(RenameMode mode) noexcept {
  switch (mode) {
    case RenameMode::no_replace:
      return kNoReplace;
    case RenameMode::exchange:
      return kExchange;
    case RenameMode::replace:
      break;
  }
  return 0;
}

void set_special(Record& record, const Operation& what, const Setting& setting) {
  set_made(record, RecordType::special, what, setting);
  record.fields |= kKind;
  record.kind = what.type;
  if (what.type != FileType::character_device && what.type != FileType::block_device) return;
  record.fields |= kDevice;
  record.device_major = what.major;
  record.device_minor = what.minor;
}

void set_attribute(Record& record, const Operation& what) {
  const std::uint64_t flag = what.kind != Kind::chmod && what.last == LastLink::kept ? kLinkItself : 0;
  switch (what.kind) {
    case Kind::chmod:
      set(record, RecordType::setattr, kMode, flag);
      record.mode = what.mode;
      break;
    case Kind::chown:
      set(record, RecordType::setattr, kOwner, flag);
      record.uid = what.uid;
      record.gid = what.gid;
      break;
    default:
      set(record, RecordType::setattr, kMtime, flag);
      record.mtime = what.mtime;
      break;
  }
}

void set_pair(Record& record, RecordType type, const Operation& what, std::uint64_t flag = 0) {
  set(record, type, kTarget, flag);
  record.target = what.other;
}

void set_xattr(Record& record, const Operation& what) {
  const bool taken = what.kind == Kind::remove_xattr;
  set(record, RecordType::xattr, kXattrs, taken ? kTakenAway : 0);
  record.xattrs.push_back({what.other, taken ? std::span<const std::byte>() : what.bytes});
}

void set_symlink(Record& record, const Operation& what, const Setting& setting) {
  set(record, RecordType::symlink, kOwner);
  record.uid = setting.stamp.uid;
  record.gid = setting.stamp.gid;
  if (what.attributes != nullptr) set_given(record, *what.attributes);
}

void set_kind(Record& record, const Operation& what, const Setting& setting) {
  const std::uint64_t parents = what.make_parents ? kWithParents : 0;
  switch (what.kind) {
    case Kind::write:
      return set_made(record, RecordType::put, what, setting, parents);
    case Kind::append:
      return set_made(record, RecordType::write, what, setting, parents);
    case Kind::write_at:
      record.offset = what.bytes.empty() && !what.content ? 0 : what.offset;  // of no bytes any offset is good
      return set(record, RecordType::write, kOffset);
    case Kind::truncate:
      record.size = what.offset;
      return set(record, RecordType::truncate, kSize);
    case Kind::make_directory:
      return set_made(record, RecordType::mkdir, what, setting);
    case Kind::make_directories:
      return set_made(record, RecordType::mkdir, what, setting, kWithParents);
    case Kind::symlink:
      return set_symlink(record, what, setting);
    case Kind::make_special:
      return set_special(record, what, setting);
    case Kind::link:
      return set_pair(record, RecordType::link, what);
    case Kind::remove_directory:
      return set(record, RecordType::remove, 0, kEmptyDirectory);
    case Kind::unlink:
      return set(record, RecordType::remove, 0);
    case Kind::remove_tree:
      return set(record, RecordType::remove, 0, kWholeTree);
    case Kind::rename:
      return set_pair(record, RecordType::rename, what, flag_of(what.rename));
    case Kind::clone:
      return set_pair(record, RecordType::clone, what);
    case Kind::chmod:
    case Kind::chown:
    case Kind::set_mtime:
      return set_attribute(record, what);
    case Kind::set_attributes:
      set(record, RecordType::setattr, 0);
      if (what.attributes != nullptr) set_given(record, *what.attributes);
      return;
    case Kind::set_xattr:
    case Kind::remove_xattr:
      return set_xattr(record, what);
  }
}

/// What set_given() said, if it was asked to.
std::optional<Attributes> attributes_of(const Record& record) {
  const bool is_made = record.type >= RecordType::mkdir && record.type <= RecordType::special;
  const bool are_all = (record.fields & kMtime) != 0 && (record.fields & kMode) != 0;
  if ((!is_made && record.type != RecordType::setattr) || !are_all) return std::nullopt;
  Attributes given{.mode = record.mode, .uid = record.uid, .gid = record.gid, .mtime = record.mtime};
  for (const XattrRef& xattr : record.xattrs) {
    given.xattrs.push_back({std::string(xattr.name), {xattr.value.begin(), xattr.value.end()}});
  }
  return given;
}

Kind kind_of(const Record& record) noexcept {
  const std::uint64_t flags = (record.fields & kFlags) != 0 ? record.flags : 0;
  const auto has = [&](Field field) { return (record.fields & field) != 0; };
  switch (record.type) {
    case RecordType::mkdir:
      return flags == kWithParents ? Kind::make_directories : Kind::make_directory;
    case RecordType::put:
      return Kind::write;
    case RecordType::symlink:
      return Kind::symlink;
    case RecordType::special:
      return Kind::make_special;
    case RecordType::link:
      return Kind::link;
    case RecordType::write:
      return has(kOffset) ? Kind::write_at : Kind::append;
    case RecordType::truncate:
      return Kind::truncate;
    case RecordType::setattr:
      if (has(kMode) && has(kMtime)) return Kind::set_attributes;
      return has(kMode) ? Kind::chmod : has(kOwner) ? Kind::chown : Kind::set_mtime;
    case RecordType::xattr:
      return flags == kTakenAway ? Kind::remove_xattr : Kind::set_xattr;
    case RecordType::rename:
      return Kind::rename;
    case RecordType::clone:
      return Kind::clone;
    default:
      return flags == kEmptyDirectory ? Kind::remove_directory
                                      : (flags == kWholeTree ? Kind::remove_tree : Kind::unlink);
  }
}

}  // namespace

Record record_of(const Operation& operation, const Setting& setting) {
  Record record;
  record.name = operation.path;
  record.commit = setting.stamp.commit;
  record.fields = kInode | kCtime | kLinkId;
  record.inode = setting.inode;
  record.ctime = setting.stamp.now;
  record.link_id = setting.link_id;
  set_kind(record, operation, setting);
  if (const auto bytes = logged_bytes(operation); bytes && !bytes->empty()) {
    record.form = content::Form::run;
    record.content_length = bytes->size();
  }
  return record;
}

Result<std::span<const std::byte>> logged_bytes(const Operation& operation) {
  switch (operation.kind) {
    case Kind::write:
    case Kind::append:
    case Kind::write_at:
      if (operation.content) return operation.content->borrow();
      return operation.bytes;
    case Kind::symlink:
      return base::as_bytes(operation.other);
    default:
      return std::span<const std::byte>();
  }
}

Logged operation_of(const Record& record) {
  Logged logged{
      .operation = {.kind = kind_of(record),
                    .mode = record.mode,
                    .uid = record.uid,
                    .gid = record.gid,
                    .path = record.name,
                    .other = record.target,
                    .mtime = record.mtime},
      .setting = {.stamp = {.commit = record.commit, .now = record.ctime, .uid = record.uid, .gid = record.gid},
                  .inode = record.inode,
                  .link_id = record.link_id},
      .attributes = attributes_of(record)};
  Operation& what = logged.operation;
  const std::uint64_t flags = (record.fields & kFlags) != 0 ? record.flags : 0;
  what.make_parents = flags == kWithParents;
  what.last = flags == kLinkItself ? LastLink::kept : LastLink::followed;
  if (flags == kExchange) what.rename = RenameMode::exchange;
  if (flags == kNoReplace) what.rename = RenameMode::no_replace;
  what.offset = record.type == RecordType::truncate ? record.size : record.offset;
  if (record.type == RecordType::special) {
    what.type = record.kind;
    what.major = record.device_major;
    what.minor = record.device_minor;
  }
  if (record.type == RecordType::xattr && !record.xattrs.empty()) {
    what.other = record.xattrs.front().name;
    what.bytes = record.xattrs.front().value;
  }
  return logged;
}

}  // namespace packfs::log
