#include "log/attributes.h"

#include <limits>

#include "base/bytes.h"
#include "log/record_rules.h"
#include "log/varint.h"

namespace packfs::log {
namespace {

void put_counted(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  put_varint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_time(std::vector<std::byte>& out, const Time& time) {
  put_varint(out, zigzag(time.seconds));
  put_varint(out, time.nanoseconds);
}

void put_xattrs(std::vector<std::byte>& out, const std::vector<XattrRef>& xattrs) {
  put_varint(out, xattrs.size());
  for (const XattrRef& xattr : xattrs) {
    put_counted(out, base::as_bytes(xattr.name));
    put_counted(out, xattr.value);
  }
}

bool take(VarintReader& in, std::uint64_t& value) {
  const auto taken = in.varint();
  value = taken.value_or(0);
  return taken.has_value();
}

bool take(VarintReader& in, std::uint32_t& value) {
  const auto taken = in.varint_up_to(std::numeric_limits<std::uint32_t>::max());
  value = static_cast<std::uint32_t>(taken.value_or(0));
  return taken.has_value();
}

bool take(VarintReader& in, Time& time) {
  std::uint64_t seconds = 0;
  if (!take(in, seconds)) return false;
  time.seconds = unzigzag(seconds);
  return take(in, time.nanoseconds);
}

bool take(VarintReader& in, FileType& kind) {
  const auto taken = in.varint_up_to(std::numeric_limits<std::underlying_type_t<FileType>>::max());
  kind = static_cast<FileType>(taken.value_or(0));
  return taken.has_value();
}

bool take(VarintReader& in, std::string_view& text) {
  const auto taken = in.counted(in.left());
  if (taken) text = base::as_text(*taken);
  return taken.has_value();
}

bool take(VarintReader& in, std::vector<XattrRef>& xattrs) {
  // Grown as they come: a count that the bytes do not keep gets no memory.
  auto left = in.varint();
  for (; left && *left != 0; --*left) {
    XattrRef xattr;
    if (!take(in, xattr.name)) return false;
    const auto value = in.counted(in.left());
    if (!value) return false;
    xattr.value = *value;
    xattrs.push_back(xattr);
  }
  return left.has_value();
}

bool take_fields(VarintReader& in, Record& record) {
  const auto has = [&](Field field) { return (record.fields & field) != 0; };
  return (!has(kParent) || take(in, record.parent)) && (!has(kDirectory) || take(in, record.directory)) &&
         (!has(kInode) || take(in, record.inode)) && (!has(kMode) || take(in, record.mode)) &&
         (!has(kOwner) || (take(in, record.uid) && take(in, record.gid))) && (!has(kMtime) || take(in, record.mtime)) &&
         (!has(kCtime) || take(in, record.ctime)) && (!has(kLinkId) || take(in, record.link_id)) &&
         (!has(kKind) || take(in, record.kind)) &&
         (!has(kDevice) || (take(in, record.device_major) && take(in, record.device_minor))) &&
         (!has(kSize) || take(in, record.size)) && (!has(kOffset) || take(in, record.offset)) &&
         (!has(kXattrs) || take(in, record.xattrs)) && (!has(kTarget) || take(in, record.target)) &&
         (!has(kGroup) || (take(in, record.group_offset) && take(in, record.group_records))) &&
         (!has(kSyncedEnd) || take(in, record.synced_end)) && (!has(kSection) || take(in, record.section)) &&
         (!has(kFlags) || take(in, record.flags));
}

}  // namespace

void encode_attributes(const Record& record, std::vector<std::byte>& out) {
  const auto has = [&](Field field) { return (record.fields & field) != 0; };
  const auto put = [&](Field field, auto... values) {
    if (has(field)) (put_varint(out, values), ...);
  };
  put_varint(out, record.fields);
  put(kParent, record.parent);
  put(kDirectory, record.directory);
  put(kInode, record.inode);
  put(kMode, record.mode);
  put(kOwner, record.uid, record.gid);
  if (has(kMtime)) put_time(out, record.mtime);
  if (has(kCtime)) put_time(out, record.ctime);
  put(kLinkId, record.link_id);
  put(kKind, static_cast<std::uint64_t>(record.kind));
  put(kDevice, record.device_major, record.device_minor);
  put(kSize, record.size);
  put(kOffset, record.offset);
  if (has(kXattrs)) put_xattrs(out, record.xattrs);
  if (has(kTarget)) put_counted(out, base::as_bytes(record.target));
  put(kGroup, record.group_offset, record.group_records);
  put(kSyncedEnd, record.synced_end);
  put(kSection, record.section);
  put(kFlags, record.flags);
}

std::expected<void, BadAttributes> decode_attributes(std::span<const std::byte> attributes, Record& record) {
  VarintReader in(attributes);
  const auto mask = in.varint();
  if (!mask) return std::unexpected(BadAttributes::malformed);
  if ((*mask & ~std::uint64_t{kKnownFields}) != 0) return std::unexpected(BadAttributes::unknown_field);
  record.fields = static_cast<std::uint32_t>(*mask);
  if (!take_fields(in, record) || in.left() != 0) return std::unexpected(BadAttributes::malformed);
  return {};
}

}  // namespace packfs::log
