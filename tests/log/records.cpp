#include "log/records.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace packfs::testing {
namespace {

using content::Form;
using log::RecordType;

// A value up to `most`, each length in bits as likely as any other, and the limits more likely still.
std::uint64_t up_to(std::mt19937_64& random, std::uint64_t most) {
  switch (random() % 6) {
    case 0:
      return 0;
    case 1:
      return most;
    default:
      return std::min(most, random() >> (random() % 64));
  }
}

std::uint64_t at_least_one(std::mt19937_64& random, std::uint64_t most) { return 1 + up_to(random, most - 1); }

std::string text(std::mt19937_64& random, std::size_t length, bool slashes) {
  std::string out(length, '\0');
  for (char& byte : out) {
    do byte = static_cast<char>(random());
    while (byte == '\0' || (byte == '/' && !slashes));
  }
  // Never "." or "..".
  if (!out.empty()) out.front() = 'n';
  return out;
}

Time time(std::mt19937_64& random) {
  Time out;
  out.seconds = static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
  if (random() % 8 == 0) out.seconds = std::numeric_limits<std::int64_t>::min();
  if (random() % 8 == 0) out.seconds = std::numeric_limits<std::int64_t>::max();
  out.nanoseconds = static_cast<std::uint32_t>(up_to(random, 999'999'999));
  return out;
}

void fill_xattrs(std::mt19937_64& random, OwnedRecord& out) {
  const bool one = out.record.type == RecordType::xattr;
  for (std::size_t i = one ? 1 : up_to(random, 5); i > 0; --i)
    out.xattr_names.push_back(text(random, at_least_one(random, 255), true));
  std::ranges::sort(out.xattr_names);
  const auto twice = std::ranges::unique(out.xattr_names);
  out.xattr_names.erase(twice.begin(), twice.end());
  for (std::size_t i = 0; i < out.xattr_names.size(); ++i)
    out.xattr_values.emplace_back(up_to(random, 300), std::byte{5});
}

void fill_values(std::mt19937_64& random, log::Record& record) {
  constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  record.commit = up_to(random, INT64_MAX);
  record.parent = up_to(random, UINT64_MAX);
  record.directory = up_to(random, UINT64_MAX);
  record.inode = at_least_one(random, INT64_MAX);
  record.mode = static_cast<std::uint32_t>(up_to(random, 07777));
  record.uid = static_cast<std::uint32_t>(up_to(random, kMost32 - 1));
  record.gid = static_cast<std::uint32_t>(up_to(random, kMost32 - 1));
  record.mtime = time(random);
  record.ctime = time(random);
  record.link_id = at_least_one(random, INT64_MAX);
  record.kind = static_cast<FileType>(4 + random() % 4);
  record.device_major = static_cast<std::uint32_t>(up_to(random, kMost32));
  record.device_minor = static_cast<std::uint32_t>(up_to(random, kMost32));
  record.size = up_to(random, INT64_MAX);
  record.offset = up_to(random, INT64_MAX);
  record.group_offset = up_to(random, UINT64_MAX);
  record.group_records = up_to(random, UINT64_MAX);
  record.synced_end = up_to(random, UINT64_MAX);
  record.section = at_least_one(random, 9);
}

// The form, and the values that hang on it.
void fill_content(std::mt19937_64& random, log::Record& record, bool in_journal) {
  record.form = Form::none;
  record.content_length = 0;
  const bool run = random() % 2 == 0;
  switch (record.type) {
    case RecordType::put:
      record.form = static_cast<Form>(random() % (in_journal ? 2 : 4));
      break;
    case RecordType::write:
      record.form = run ? Form::run : Form::none;
      break;
    case RecordType::symlink:
    case RecordType::extent:
      record.form = run ? Form::run : Form::packed;
      break;
    case RecordType::dictionary:
    case RecordType::index:
      record.form = Form::run;
      break;
    case RecordType::extent_map:
      record.form = run ? Form::run : Form::none;
      break;
    default:
      break;
  }
  if (record.form == Form::packed && (in_journal || (record.fields & log::kSize) == 0)) record.form = Form::run;
  if (record.form == Form::run || record.form == Form::packed) record.content_length = up_to(random, INT64_MAX);
  if (record.form == Form::packed) record.size = at_least_one(random, content::kMaxExtentBytes);
  if (record.type == RecordType::extent) {
    record.size = at_least_one(random, content::kMaxExtentBytes);
    record.offset = up_to(random, INT64_MAX - record.size);
    if (record.form == Form::run) record.content_length = record.size;
  } else if (record.type == RecordType::extent_map) {
    record.content_length -= record.content_length % 24;
  } else if (record.type <= RecordType::special && record.form < Form::packed) {
    record.size = record.content_length;
  }
}

}  // namespace

void OwnedRecord::bind() {
  record.name = name;
  record.target = target;
  record.xattrs.clear();
  for (std::size_t i = 0; i < xattr_names.size(); ++i) record.xattrs.push_back({xattr_names[i], xattr_values[i]});
}

bool same(const log::Record& a, const log::Record& b) {
  const auto has = [&](log::Field field) { return (a.fields & field) != 0; };
  const auto agree = [&](log::Field field, auto... members) {
    return !has(field) || ((a.*members == b.*members) && ...);
  };
  using R = log::Record;
  return a.type == b.type && a.form == b.form && a.name == b.name && a.content_length == b.content_length &&
         a.commit == b.commit && a.fields == b.fields && agree(log::kParent, &R::parent) &&
         agree(log::kDirectory, &R::directory) && agree(log::kInode, &R::inode) && agree(log::kMode, &R::mode) &&
         agree(log::kOwner, &R::uid, &R::gid) && agree(log::kMtime, &R::mtime) && agree(log::kCtime, &R::ctime) &&
         agree(log::kLinkId, &R::link_id) && agree(log::kKind, &R::kind) &&
         agree(log::kDevice, &R::device_major, &R::device_minor) && agree(log::kSize, &R::size) &&
         agree(log::kOffset, &R::offset) && agree(log::kTarget, &R::target) &&
         agree(log::kGroup, &R::group_offset, &R::group_records) && agree(log::kSyncedEnd, &R::synced_end) &&
         agree(log::kSection, &R::section) && agree(log::kFlags, &R::flags) &&
         (!has(log::kXattrs) || std::ranges::equal(a.xattrs, b.xattrs, [](const auto& x, const auto& y) {
           return x.name == y.name && std::ranges::equal(x.value, y.value);
         }));
}

const std::vector<TypeFields>& all_types() {
  using enum log::Field;
  constexpr std::uint32_t kFile = kParent | kInode | kMode | kOwner | kMtime;
  constexpr std::uint32_t kGiven = kInode | kCtime | kLinkId;
  constexpr std::uint32_t kExtras = kCtime | kLinkId | kSize | kXattrs;
  static const std::vector<TypeFields> types{
      {RecordType::mkdir, kParent | kDirectory | kInode | kMode | kOwner | kMtime, kCtime | kXattrs},
      {RecordType::put, kFile, kExtras},
      {RecordType::symlink, kFile, kExtras},
      {RecordType::special, kFile | kKind, kExtras | kDevice},
      {RecordType::link, kParent | kInode | kLinkId, 0},
      {RecordType::write, kOffset | kGiven, 0, true},
      {RecordType::truncate, kSize | kGiven, 0, true},
      {RecordType::setattr, kGiven | kMtime, kFlags, true, 8},
      {RecordType::xattr, kXattrs | kGiven, kFlags, true, 16},
      {RecordType::rename, kTarget | kGiven, kFlags, true, 1},
      {RecordType::clone, kTarget | kGiven, 0, true},
      {RecordType::remove, kGiven, kFlags, true, 32},
      {RecordType::commit, kGroup | kSyncedEnd, kFlags, false, 128},
      {RecordType::dictionary, 0, 0},
      {RecordType::index, kSection, 0},
      {RecordType::extent, kOffset | kSize, 0},
      {RecordType::extent_map, kSize, 0},
      // As journals have them; some a second time, with other fields or flags.
      {RecordType::mkdir, kMode | kOwner | kGiven, kFlags, true, 4},
      {RecordType::put, kMode | kOwner | kGiven, kFlags, true, 4},
      {RecordType::symlink, kOwner | kGiven, 0, true},
      {RecordType::special, kMode | kOwner | kMtime | kGiven | kKind, kDevice | kXattrs, true},
      {RecordType::mkdir, kMode | kOwner | kMtime | kGiven, kXattrs, true},
      {RecordType::put, kMode | kOwner | kMtime | kGiven, kXattrs, true},
      {RecordType::symlink, kMode | kOwner | kMtime | kGiven, kXattrs, true},
      {RecordType::setattr, kMode | kOwner | kMtime | kGiven, kXattrs, true},
      {RecordType::link, kTarget | kGiven, 0, true},
      {RecordType::write, kMode | kOwner | kGiven, kFlags, true, 4},
      {RecordType::setattr, kGiven | kMode, kFlags, true, 8},
      {RecordType::setattr, kGiven | kOwner, kFlags, true, 8},
      {RecordType::rename, kTarget | kGiven, kFlags, true, 2},
      {RecordType::remove, kGiven, kFlags, true, 64},
  };
  return types;
}

void make_record(std::mt19937_64& random, const TypeFields& type, std::uint32_t fields, OwnedRecord& out) {
  log::Record& record = out.record;
  record.type = type.type;
  record.fields = type.required | (type.optional & fields);
  fill_values(random, record);
  record.flags = type.flags;
  fill_content(random, record, type.path);
  if (type.path) {
    out.name = text(random, up_to(random, 2000), true);
  } else if (type.type <= RecordType::link) {
    out.name = text(random, at_least_one(random, 255), false);
  }
  if ((record.fields & log::kTarget) != 0) out.target = text(random, up_to(random, 2000), true);
  if ((record.fields & log::kXattrs) != 0) fill_xattrs(random, out);
  out.bind();
}

Bytes encoded(const log::Record& record, std::uint64_t segment_id, std::uint64_t offset) {
  Bytes out;
  if (auto done = log::encode_head(record, segment_id, offset, out); !done) {
    throw std::runtime_error(done.error().message());
  }
  return out;
}

}  // namespace packfs::testing
