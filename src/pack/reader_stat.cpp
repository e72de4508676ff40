#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "pack/reader.h"

// What the index says of an entry: attributes, link counts, extended attributes.
namespace packfs::pack {

Result<Stat> Reader::stat(const Node& node) const {
  const auto found = entry(node.entry);
  if (!found) return std::unexpected(found.error());
  Stat stat;
  stat.type = found->type();
  stat.size = found->size();
  stat.inode = found->inode();
  stat.mtime = found->mtime();
  stat.ctime = found->ctime();
  stat.change_commit = found->extra_or_zero(kHasChangeCommit);
  stat.link_id = found->extra_or_zero(kHasLinkId);
  stat.has_xattrs = found->has(kHasXattrs);
  if (stat.type == FileType::character_device || stat.type == FileType::block_device) {
    const std::uint64_t device = found->location();
    stat.device_major = static_cast<std::uint32_t>(device >> 32);
    stat.device_minor = static_cast<std::uint32_t>(device);
  }
  if (auto filled = fill_attributes(*found, node.entry, stat); !filled) return std::unexpected(filled.error());
  if (stat.type == FileType::directory) {
    const auto element = directory(node.directory);
    if (!element) return std::unexpected(element.error());
    stat.nlink = 2 + element->subdirectory_count;
  } else if (stat.link_id != 0) {
    const auto count = link_count(stat.link_id, node.entry);
    if (!count) return std::unexpected(count.error());
    stat.nlink = *count;
  }
  return stat;
}

Result<void> Reader::fill_attributes(const EntryRef& entry, std::uint64_t offset, Stat& stat) const {
  const std::uint64_t position = std::uint64_t{entry.attribute_set()} * sizeof(AttributeSet);
  if (position >= pages_->length(Section::attribute_sets)) {
    return std::unexpected(pages_->corrupt(Section::entries, offset, "an attribute set that is not there"));
  }
  if (auto touched = pages_->touch(Section::attribute_sets, position, sizeof(AttributeSet)); !touched) return touched;
  // A copy, so that what was checked is what is used.
  const auto set = *reinterpret_cast<const AttributeSet*>(pages_->at(Section::attribute_sets, position));
  if (!is_in_range(set)) {
    return std::unexpected(pages_->corrupt(Section::attribute_sets, position, "an attribute set out of range"));
  }
  stat.mode = set.mode.get();
  stat.uid = set.uid.get();
  stat.gid = set.gid.get();
  return {};
}

/// Link ids of built packs count from 1, so the first guess is right; any ascending ids are found.
Result<std::uint64_t> Reader::link_count(std::uint64_t link_id, std::uint64_t offset) const {
  std::uint64_t low = 0;
  std::uint64_t high = pages_->length(Section::links) / sizeof(LinkElement);
  std::uint64_t probe = link_id - 1;
  while (low < high) {
    if (probe < low || probe >= high) probe = low + (high - low) / 2;
    const std::uint64_t position = probe * sizeof(LinkElement);
    if (auto touched = pages_->touch(Section::links, position, sizeof(LinkElement)); !touched) {
      return std::unexpected(std::move(touched.error()));
    }
    const auto* link = reinterpret_cast<const LinkElement*>(pages_->at(Section::links, position));
    const std::uint64_t id = link->link_id.get();
    if (id == link_id) return link->nlink.get();
    if (id < link_id) {
      low = probe + 1;
    } else {
      high = probe;
    }
    probe = low + (high - low) / 2;
  }
  return std::unexpected(pages_->corrupt(Section::entries, offset, "a link id that is not in the links"));
}

Result<XattrList> Reader::xattr_list(const EntryRef& entry, std::uint64_t offset) const {
  const std::uint64_t position = entry.extra_or_zero(kHasXattrs);
  if (position % kXattrListAlignment != 0) {
    return std::unexpected(pages_->corrupt(Section::entries, offset, "extended attributes out of their place"));
  }
  if (auto touched = pages_->touch(Section::xattrs, position, sizeof(XattrHeader)); !touched) {
    return std::unexpected(std::move(touched.error()));
  }
  const auto* header = reinterpret_cast<const XattrHeader*>(pages_->at(Section::xattrs, position));
  const std::uint32_t length = header->length.get();
  const std::uint32_t count = header->count.get();
  const std::uint64_t begin = position + sizeof(XattrHeader);
  if (length != 0) {
    if (auto touched = pages_->touch(Section::xattrs, begin, length); !touched) {
      return std::unexpected(std::move(touched.error()));
    }
  }
  return XattrList({pages_->at(Section::xattrs, begin), length}, count);
}

Result<std::vector<Xattr>> Reader::xattrs(const Node& node) const {
  const auto found = entry(node.entry);
  if (!found) return std::unexpected(found.error());
  if (!found->has(kHasXattrs)) return std::vector<Xattr>();
  auto list = xattr_list(*found, node.entry);
  if (!list) return std::unexpected(std::move(list.error()));
  std::vector<Xattr> xattrs;
  while (const auto xattr = list->next()) {
    xattrs.push_back({std::string(xattr->name), {xattr->value.begin(), xattr->value.end()}});
  }
  if (list->is_sound()) return xattrs;
  return std::unexpected(pages_->corrupt(Section::entries, node.entry, "a list of extended attributes"));
}

}  // namespace packfs::pack
