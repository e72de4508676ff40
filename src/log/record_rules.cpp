#include "log/record_rules.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/bytes.h"
#include "content/format.h"
#include "path/path.h"

namespace packfs::log {
namespace {

using Broken = std::optional<std::string_view>;
using content::Form;

constexpr std::uint32_t kMaxMode = 07777;
constexpr std::uint32_t kMaxOwner = UINT32_MAX - 1;
constexpr std::uint32_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::uint64_t kMaxSection = 9;
/// Of commits, and of the numbers a journal's records give on: those that count up from there never come to an end.
constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << 63) - 1;
constexpr std::size_t kMaxXattrName = 255;

enum class NameIs : std::uint8_t { empty, component, component_or_root, path };

constexpr unsigned one_of(auto... forms) { return ((1U << static_cast<unsigned>(forms)) | ...); }

struct TypeRule {
  NameIs name;
  unsigned forms;
  std::uint32_t required;
  std::uint32_t optional;
};

constexpr std::uint32_t kNode = kInode | kMode | kOwner | kMtime;
constexpr std::uint32_t kFileExtras = kCtime | kLinkId | kSize | kXattrs;
constexpr std::uint32_t kGiven = kInode | kCtime | kLinkId;
constexpr unsigned kNoContent = one_of(Form::none);

// By type, from 1 on: section 2.1's table, with the forms that make sense for each. Of a journal's types those that
// packs have too are here as packs have them.
constexpr std::array<TypeRule, kMaxTypes> kRules{{
    {NameIs::component_or_root, kNoContent, kDirectory | kNode, kParent | kCtime | kXattrs},  // mkdir
    {NameIs::component, one_of(Form::none, Form::run, Form::packed, Form::chained), kParent | kNode,
     kFileExtras},                                                                             // put
    {NameIs::component, one_of(Form::run, Form::packed), kParent | kNode, kFileExtras},        // symlink
    {NameIs::component, kNoContent, kParent | kNode | kKind, kFileExtras | kDevice},           // special
    {NameIs::component, kNoContent, kParent | kInode | kLinkId, 0},                            // link
    {NameIs::path, one_of(Form::none, Form::run), kGiven, kOffset | kMode | kOwner | kFlags},  // write
    {NameIs::path, kNoContent, kSize | kGiven, 0},                                             // truncate
    {NameIs::path, kNoContent, kGiven, kMode | kOwner | kMtime | kXattrs | kFlags},            // setattr
    {NameIs::path, kNoContent, kXattrs | kGiven, kFlags},                                      // xattr
    {NameIs::path, kNoContent, kTarget | kGiven, kFlags},                                      // rename
    {NameIs::path, kNoContent, kTarget | kGiven, 0},                                           // clone
    {NameIs::path, kNoContent, kGiven, kFlags},                                                // remove
    {NameIs::empty, kNoContent, kGroup | kSyncedEnd, kFlags},                                  // commit
    {NameIs::empty, one_of(Form::run), 0, 0},                                                  // dictionary
    {NameIs::empty, one_of(Form::run), kSection, 0},                                           // index
    {NameIs::empty, one_of(Form::run, Form::packed), kOffset | kSize, 0},                      // extent
    {NameIs::empty, one_of(Form::none, Form::run), kSize, 0},                                  // extent map
}};

// The first five as journals have them.
constexpr std::array<TypeRule, 5> kPathRules{{
    {NameIs::path, kNoContent, kMode | kOwner | kGiven, kMtime | kXattrs | kFlags},                     // mkdir
    {NameIs::path, one_of(Form::none, Form::run), kMode | kOwner | kGiven, kMtime | kXattrs | kFlags},  // put
    {NameIs::path, one_of(Form::run), kOwner | kGiven, kMode | kMtime | kXattrs},                       // symlink
    {NameIs::path, kNoContent, kKind | kMode | kOwner | kGiven, kMtime | kXattrs | kDevice},            // special
    {NameIs::path, kNoContent, kTarget | kGiven, 0},                                                    // link
}};

const TypeRule& rule_of(const Record& record) noexcept {
  const std::size_t index = static_cast<std::size_t>(record.type) - 1;
  return index < kPathRules.size() && is_named_by_path(record) ? kPathRules[index] : kRules[index];
}

bool is_path(std::string_view path) noexcept {
  return path.size() <= path::kMaxPath && path.find('\0') == std::string_view::npos;
}

bool name_fits(NameIs rule, std::string_view name) noexcept {
  switch (rule) {
    case NameIs::empty:
      return name.empty();
    case NameIs::component_or_root:
      return name.empty() || !path::check_component(name);
    case NameIs::component:
      return !path::check_component(name);
    case NameIs::path:
      return is_path(name);
  }
  return false;
}

/// Attributes that were given are mtime and, perhaps, xattrs beside mode and owner; no directories are made for them.
bool given_fit(const Record& record) noexcept {
  const auto has = [&](std::uint32_t fields) { return (record.fields & fields) != 0; };
  if (has(kXattrs) && !has(kMtime)) return false;
  if (record.type == RecordType::symlink && has(kMode) != has(kMtime)) return false;
  return !has(kMtime) || !has(kFlags);
}

bool fields_fit(const TypeRule& rule, const Record& record) noexcept {
  if ((record.fields & rule.required) != rule.required) return false;
  if ((record.fields & ~(rule.required | rule.optional)) != 0) return false;
  const auto has = [&](std::uint32_t fields) { return (record.fields & fields) != 0; };
  if (record.type <= RecordType::special && is_named_by_path(record) && !given_fit(record)) return false;
  switch (record.type) {
    case RecordType::mkdir:  // the root, which has no name, has no parent either
      return is_named_by_path(record) || !has(kParent) == record.name.empty();
    case RecordType::write:  // with an offset into what is there, without one perhaps into what is made
      return has(kOffset) ? !has(kMode | kOwner | kFlags) : has(kMode) && has(kOwner);
    case RecordType::setattr:
      if (std::popcount(record.fields & (kMode | kOwner | kMtime)) == 3) return !has(kFlags);
      return std::popcount(record.fields & (kMode | kOwner | kMtime)) == 1 && !has(kXattrs);
    default:
      return true;
  }
}

// Which flags a type may have, one at a time.
std::uint64_t flags_of(RecordType type) noexcept {
  switch (type) {
    case RecordType::rename:
      return kExchange | kNoReplace;
    case RecordType::setattr:
      return kLinkItself;
    case RecordType::xattr:
      return kTakenAway;
    case RecordType::remove:
      return kEmptyDirectory | kWholeTree;
    case RecordType::commit:
      return kClosed;
    default:
      return kWithParents;
  }
}

bool is_time(const Time& time) noexcept { return time.nanoseconds < kNanosecondsPerSecond; }

bool is_special(FileType kind) noexcept {
  return kind == FileType::fifo || kind == FileType::socket || kind == FileType::character_device ||
         kind == FileType::block_device;
}

bool xattrs_fit(const std::vector<XattrRef>& xattrs) noexcept {
  const bool names_fit = std::ranges::all_of(xattrs, [](const XattrRef& xattr) {
    return !xattr.name.empty() && xattr.name.size() <= kMaxXattrName && xattr.name.find('\0') == std::string_view::npos;
  });
  return names_fit && std::ranges::adjacent_find(xattrs, std::ranges::greater_equal{}, &XattrRef::name) == xattrs.end();
}

Broken broken_number(const Record& record) noexcept {
  if (record.commit > kMaxNumber) return "commit";
  if (!is_named_by_path(record) || record.type == RecordType::commit) return {};
  if (record.inode == 0 || record.inode > kMaxNumber) return "inode";
  if (record.link_id > kMaxNumber) return "link id";
  return {};
}

Broken broken_value(const Record& record) noexcept {
  const auto has = [&](Field field) { return (record.fields & field) != 0; };
  if (auto broken = broken_number(record)) return broken;
  if (has(kMode) && record.mode > kMaxMode) return "mode";
  const bool may_leave = record.type == RecordType::setattr && !has(kMtime);
  if (has(kOwner) && !may_leave && (record.uid > kMaxOwner || record.gid > kMaxOwner)) return "owner";
  if (has(kMtime) && !is_time(record.mtime)) return "mtime";
  if (has(kCtime) && !is_time(record.ctime)) return "ctime";
  if (has(kLinkId) && record.link_id == 0) return "link id";
  if (has(kKind) && !is_special(record.kind)) return "kind";
  if (has(kSize) && record.size > content::kMaxFileBytes) return "size";
  if (has(kOffset) && record.offset > content::kMaxFileBytes) return "offset";
  if (has(kXattrs) && !xattrs_fit(record.xattrs)) return "xattrs";
  if (record.type == RecordType::xattr && record.xattrs.size() != 1) return "number of xattrs";
  if (has(kTarget) && !is_path(record.target)) return "target";
  if (has(kSection) && (record.section == 0 || record.section > kMaxSection)) return "section";
  if (has(kFlags) && (!std::has_single_bit(record.flags) || (record.flags & flags_of(record.type)) == 0))
    return "flags";
  return {};
}

// Packed content does not say how long it is raw, so `size` must; an extent's bytes are its raw bytes.
Broken broken_content(const Record& record) noexcept {
  const bool has_bytes = record.form == Form::run || record.form == Form::packed;
  if (record.content_length > (has_bytes ? content::kMaxFileBytes : 0)) return "content length";
  const bool has_size = (record.fields & kSize) != 0;
  if (record.form == Form::packed && (!has_size || record.size == 0 || record.size > content::kMaxExtentBytes)) {
    return "size of packed content";
  }
  switch (record.type) {
    case RecordType::put:
    case RecordType::symlink:
    case RecordType::special:
      if (has_size && (record.form == Form::none || record.form == Form::run) && record.size != record.content_length) {
        return "size";
      }
      return {};
    case RecordType::extent:
      if (record.size == 0 || record.size > content::kMaxExtentBytes ||
          !base::range_fits(record.offset, record.size, content::kMaxFileBytes)) {
        return "an extent's range";
      }
      if (record.form == Form::run && record.size != record.content_length) return "an extent's length";
      return {};
    case RecordType::extent_map:
      if (record.content_length % sizeof(content::ExtentMapElement) != 0) return "an extent map's length";
      return {};
    default:
      return {};
  }
}

}  // namespace

bool is_named_by_path(const Record& record) noexcept {
  if (record.type >= RecordType::write) return record.type <= RecordType::remove;
  return (record.fields & (kParent | kDirectory)) == 0;
}

Broken broken_rule(const Record& record) noexcept {
  const TypeRule& rule = rule_of(record);
  if (!fields_fit(rule, record)) return "fields of this type";
  if (!name_fits(rule.name, record.name)) return "name";
  if (((rule.forms >> static_cast<unsigned>(record.form)) & 1) == 0) return "form of this type";
  if (auto broken = broken_value(record)) return broken;
  return broken_content(record);
}

}  // namespace packfs::log
