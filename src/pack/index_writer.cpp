#include "pack/index_writer.h"

#include <algorithm>
#include <array>

#include "pack/hash_section.h"
#include "pack/index_layout.h"
#include "pack/name_hash.h"
#include "pack/section_writer.h"

namespace packfs::pack {

namespace {

Result<void> write_entry(const Item& item, SectionWriter& sections) {
  std::array<std::byte, kMaxItemBytes> bytes;
  encode_item(item, bytes.data());
  return sections.append(std::span(bytes).first(item_bytes(item)));
}

Result<void> write_entries(const ItemTable& items, const IndexLayout& layout, SectionWriter& sections) {
  if (auto begun = sections.begin(Section::entries, layout.entries_length); !begun) return begun;
  EntryPlacer placer;
  const auto emit = [&](const Item& item) -> Result<void> {
    const std::uint64_t before = placer.end();
    const std::uint64_t fill = placer.place(item_bytes(item)) - before;
    if (auto filled = sections.append_zeros(fill); !filled) return filled;
    return write_entry(item, sections);
  };
  if (auto root = emit(final_item(items, layout, items.root())); !root) return root;
  std::uint64_t directory = ~std::uint64_t{0};
  for (const ItemRef ref : layout.order) {
    Item item = final_item(items, layout, ref);
    item.first_in_table = item.directory != directory;
    directory = item.directory;
    if (auto emitted = emit(item); !emitted) return emitted;
  }
  return sections.end();
}

HashedEntries hash_entries(const ItemTable& items, const IndexLayout& layout, std::uint64_t seed) {
  HashedEntries hashed;
  hashed.reserve(layout.order.size());
  EntryPlacer placer;
  placer.place(item_bytes(items.get(items.root())));
  for (const ItemRef ref : layout.order) {
    hashed.push_back({.hash = items.arena().hash(ref, seed), .offset = placer.place(item_bytes(items.get(ref)))});
  }
  return hashed;
}

/// The first seed that no entry is too far from home with; without one the pack has no hash.
Result<void> write_hash(const ItemTable& items, const IndexLayout& layout, SectionWriter& sections, Footer& footer) {
  for (std::uint64_t seed = 0; seed < kHashSeeds; ++seed) {
    HashedEntries hashed = hash_entries(items, layout, seed);
    const std::uint64_t max_probe = place_hashes(hashed);
    if (max_probe > kMaxProbe) continue;
    footer.hash_seed.set(seed);
    footer.hash_slots.set(hash_slots(hashed.size()));
    footer.max_probe.set(static_cast<std::uint32_t>(max_probe));
    return write_hash_section(hashed, static_cast<std::uint32_t>(max_probe), sections);
  }
  return {};
}

Result<void> write_interned(const Interned& interned, const IndexLayout& layout, SectionWriter& sections) {
  std::vector<AttributeSet> sets;
  for (const std::uint32_t number : layout.attribute_sets.order()) sets.push_back(interned.attribute_sets()[number]);
  const auto bytes = std::as_bytes(std::span(sets));
  if (auto written = sections.write(Section::attribute_sets, bytes); !written) return written;
  if (layout.xattrs_length == 0) return {};
  if (auto begun = sections.begin(Section::xattrs, layout.xattrs_length); !begun) return begun;
  for (const std::uint32_t number : layout.xattr_lists.order()) {
    if (auto appended = sections.append(interned.xattr_lists()[number]); !appended) return appended;
  }
  return sections.end();
}

Result<void> write_links(const ItemTable& items, SectionWriter& sections) {
  const auto& groups = items.groups();
  if (groups.empty()) return {};
  if (auto begun = sections.begin(Section::links, groups.size() * sizeof(LinkElement)); !begun) return begun;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    LinkElement element;
    element.link_id.set(i + 1);
    element.inode.set(groups[i].inode);
    element.nlink.set(groups[i].names);
    if (auto appended = sections.append(std::as_bytes(std::span(&element, 1))); !appended) return appended;
  }
  return sections.end();
}

}  // namespace

Result<Footer> write_index(ItemTable& items, const Interned& interned, LogWriter& log) {
  Footer footer{};
  footer.log_end.set(log.offset());
  footer.record_count.set(log.records());
  const IndexLayout layout = lay_out(items, interned);
  if (layout.entries_length > kMaxSlotOffset) return std::unexpected(ErrorCode::too_large);
  footer.directory_count.set(layout.directories.size());
  footer.entry_count.set(layout.order.size());
  footer.total_bytes = layout.directories.front().total_bytes;
  footer.total_linked = layout.directories.front().total_linked;
  footer.next_link_id.set(items.groups().size() + 1);

  SectionWriter sections(log);
  const auto directories = std::as_bytes(std::span(layout.directories));
  Result<void> done = sections.write(Section::directories, directories);
  if (done) done = write_entries(items, layout, sections);
  if (done) done = write_hash(items, layout, sections, footer);
  if (done) done = write_interned(interned, layout, sections);
  if (done) done = write_links(items, sections);
  if (!done) return std::unexpected(done.error());
  const auto root_checksum = sections.write_checksums();
  if (!root_checksum) return std::unexpected(root_checksum.error());
  footer.root_checksum.set(*root_checksum);
  footer.sections = sections.ranges();
  return footer;
}

}  // namespace packfs::pack
