#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "pack/reader.h"

// What the index says of an entry: attributes, link counts, extended attributes.
namespace packfs::pack {
namespace {

constexpr std::uint32_t kModeBits = 07777;
constexpr std::uint32_t kNoOwner = 0xFFFFFFFF;

/// Takes a list of extended attributes apart (docs/format.md 4.4).
class XattrList {
 public:
  explicit XattrList(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// Nothing when the list is not one.
  std::optional<std::vector<Xattr>> parse(std::uint32_t count) {
    std::vector<Xattr> xattrs;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (rest_.size() < 6) return std::nullopt;
      const auto name_length = base::load_le<std::uint16_t>(rest_.data());
      const auto value_length = base::load_le<std::uint32_t>(rest_.data() + 2);
      rest_ = rest_.subspan(6);
      if (name_length == 0 || name_length > 255 || name_length > rest_.size() ||
          value_length > rest_.size() - name_length) {
        return std::nullopt;
      }
      const std::string_view name = base::as_text(rest_.first(name_length));
      if (name.find('\0') != std::string_view::npos || (!xattrs.empty() && name <= xattrs.back().name)) {
        return std::nullopt;
      }
      const auto value = rest_.subspan(name_length, value_length);
      xattrs.push_back({std::string(name), {value.begin(), value.end()}});
      rest_ = rest_.subspan(name_length + value_length);
    }
    if (!rest_.empty()) return std::nullopt;
    return xattrs;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

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
  const auto* set = reinterpret_cast<const AttributeSet*>(pages_->at(Section::attribute_sets, position));
  stat.mode = set->mode.get();
  stat.uid = set->uid.get();
  stat.gid = set->gid.get();
  if ((stat.mode & ~kModeBits) != 0 || stat.uid == kNoOwner || stat.gid == kNoOwner || set->reserved.get() != 0) {
    return std::unexpected(pages_->corrupt(Section::attribute_sets, position, "an attribute set out of range"));
  }
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

Result<std::vector<Xattr>> Reader::xattrs(const Node& node) const {
  const auto found = entry(node.entry);
  if (!found) return std::unexpected(found.error());
  if (!found->has(kHasXattrs)) return std::vector<Xattr>();
  const std::uint64_t position = found->extra_or_zero(kHasXattrs);
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
  auto parsed = XattrList({pages_->at(Section::xattrs, begin), length}).parse(count);
  if (!parsed) return std::unexpected(pages_->corrupt(Section::xattrs, position, "a list of extended attributes"));
  return std::move(*parsed);
}

}  // namespace packfs::pack
