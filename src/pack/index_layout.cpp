#include "pack/index_layout.h"

namespace packfs::pack {

namespace {

void use(IndexLayout& layout, const Interned& interned, const Item& item) {
  layout.attribute_sets.use(item.attribute_set);
  if (!item.xattrs) return;
  const auto list = static_cast<std::uint32_t>(*item.xattrs);
  const std::size_t known = layout.xattr_lists.order().size();
  layout.xattr_lists.use(list);
  if (layout.xattr_lists.order().size() == known) return;
  layout.xattr_offsets[list] = layout.xattrs_length;
  layout.xattrs_length += interned.xattr_lists()[list].size();
}

DirectoryElement element_of(const ItemTable::Directory& directory) {
  DirectoryElement element{};
  element.parent.set(directory.parent);
  element.entry_count.set(directory.entries);
  element.subdirectory_count.set(directory.subdirectories);
  element.total_entries.set(directory.entries);
  element.total_bytes.set(directory.bytes);
  element.total_linked.set(directory.linked);
  return element;
}

void add(Le64& sum, const Le64& value) { sum.set(sum.get() + value.get()); }

/// Makes sums over all depths of sums over one. A directory's number is greater than its parent's.
void sum_up(IndexLayout::Elements& directories) {
  for (std::size_t i = directories.size(); i-- > 1;) {
    DirectoryElement& parent = directories[directories[i].parent.get()];
    add(parent.total_entries, directories[i].total_entries);
    add(parent.total_bytes, directories[i].total_bytes);
    add(parent.total_linked, directories[i].total_linked);
  }
}

}  // namespace

std::uint64_t EntryPlacer::place(std::size_t bytes) noexcept {
  if (end_ % kPageBytes + bytes > kPageBytes) end_ += kPageBytes - end_ % kPageBytes;
  const std::uint64_t begin = end_;
  end_ += bytes;
  return begin;
}

IndexLayout lay_out(ItemTable& items, const Interned& interned) {
  IndexLayout layout{.order = items.take_sorted(),
                     .directories = {},
                     .attribute_sets = Renumbering(interned.attribute_sets().size()),
                     .xattr_lists = Renumbering(interned.xattr_lists().size()),
                     .xattr_offsets = std::vector<std::uint64_t>(interned.xattr_lists().size())};
  layout.directories.reserve(items.directories().size());
  for (const auto& directory : items.directories()) layout.directories.push_back(element_of(directory));
  sum_up(layout.directories);

  EntryPlacer placer;
  const Item root = items.get(items.root());
  placer.place(item_bytes(root));
  use(layout, interned, root);
  auto next = layout.order.begin();
  for (DirectoryElement& directory : layout.directories) {
    std::uint64_t begin = placer.end();
    for (std::uint64_t i = 0; i < directory.entry_count.get(); ++i) {
      const Item item = items.get(*next++);
      const std::uint64_t offset = placer.place(item_bytes(item));
      if (i == 0) begin = offset;
      if (item.type == FileType::directory) layout.directories[item.location].self_entry.set(offset);
      use(layout, interned, item);
    }
    directory.table_offset.set(begin);
    directory.table_length.set(placer.end() - begin);
  }
  layout.entries_length = placer.end();
  return layout;
}

Item final_item(const ItemTable& items, const IndexLayout& layout, ItemRef ref) {
  Item item = items.get(ref);
  item.attribute_set = layout.attribute_sets.number(item.attribute_set);
  if (item.xattrs) item.xattrs = layout.xattr_offsets[static_cast<std::size_t>(*item.xattrs)];
  return item;
}

}  // namespace packfs::pack
