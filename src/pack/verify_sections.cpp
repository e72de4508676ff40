#include "pack/verify_sections.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "pack/xattr_list.h"

namespace packfs::pack {

void SectionVerifier::run() {
  check_pages();
  if (!log_.failed()) check_hash();
  if (!log_.failed()) check_attribute_sets();
  if (!log_.failed()) check_xattrs();
}

void SectionVerifier::check_pages() {
  for (auto which = static_cast<std::uint8_t>(Section::directories);
       which <= static_cast<std::uint8_t>(Section::page_checksums); ++which) {
    const auto section = static_cast<Section>(which);
    const std::uint64_t length = reader_.pages().length(section);
    for (std::uint64_t offset = 0; offset < length && !log_.failed(); offset += kPageBytes) {
      if (auto touched = reader_.pages().touch(section, offset, 1); !touched) log_.damage(std::move(touched.error()));
      log_.advance(std::min(kPageBytes, length - offset));
    }
  }
  log_.advance(reader_.pages().length(Section::root_checksums));
}

/// As many slots as entries: since each entry is found by one of its own, none is left over that leads elsewhere.
void SectionVerifier::check_hash() {
  const IndexPages& pages = reader_.pages();
  const std::uint64_t length = pages.length(Section::hash);
  std::uint64_t used = 0;
  for (std::uint64_t offset = 0; offset < length; offset += sizeof(Le64)) {
    if (!pages.touch(Section::hash, offset, sizeof(Le64))) return;  // reported with the pages
    if (base::load_le<std::uint64_t>(pages.at(Section::hash, offset)) != 0) ++used;
  }
  if (length == 0 || used == reader_.layout().entry_count) return;
  log_.damage(pages.corrupt(Section::hash, 0, "another number of slots in use than there are entries"));
}

void SectionVerifier::check_attribute_sets() {
  const IndexPages& pages = reader_.pages();
  for (std::uint64_t at = 0; at < pages.length(Section::attribute_sets); at += sizeof(AttributeSet)) {
    if (!pages.touch(Section::attribute_sets, at, sizeof(AttributeSet))) continue;  // reported with the pages
    const auto* set = reinterpret_cast<const AttributeSet*>(pages.at(Section::attribute_sets, at));
    if (!is_in_range(*set)) log_.damage(pages.corrupt(Section::attribute_sets, at, "an attribute set out of range"));
  }
}

/// Lists fill the section one behind the other; an entry without attributes has none.
void SectionVerifier::check_xattrs() {
  const IndexPages& pages = reader_.pages();
  const std::uint64_t length = pages.length(Section::xattrs);
  if (length == 0 || !pages.touch(Section::xattrs, 0, length)) return;  // reported with the pages
  lists_.resize(length / kXattrListAlignment + 1);
  for (std::uint64_t offset = 0; offset < length;) {
    const std::uint64_t bytes = check_list(offset, length - offset);
    if (bytes == 0) return log_.damage(pages.corrupt(Section::xattrs, offset, "a list of extended attributes"));
    lists_[offset / kXattrListAlignment] = true;
    offset += bytes;
  }
}

/// Bytes of the list at `offset`, its padding counted, when it is one within `left` bytes; 0 when not.
std::uint64_t SectionVerifier::check_list(std::uint64_t offset, std::uint64_t left) const {
  if (left < sizeof(XattrHeader)) return 0;
  const std::byte* begin = reader_.pages().at(Section::xattrs, offset);
  const auto* header = reinterpret_cast<const XattrHeader*>(begin);
  const std::uint64_t listed = header->length.get();
  const std::uint64_t whole = sizeof(XattrHeader) + listed;
  const std::uint64_t padded = *base::align_up(whole, kXattrListAlignment);
  if (padded > left || header->count.get() == 0) return 0;
  XattrList list({begin + sizeof(XattrHeader), listed}, header->count.get());
  while (list.next()) {
  }
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const bool zero_padded = std::ranges::all_of(std::span(begin + whole, padded - whole), is_zero);
  return list.is_sound() && zero_padded ? padded : 0;
}

}  // namespace packfs::pack
