#include "pack/verify_index.h"

#include <algorithm>
#include <utility>

#include "pack/directory_cursor.h"

namespace packfs::pack {

std::string path_in_pack(const Reader& reader, std::uint64_t directory, std::string_view name) {
  std::vector<std::string_view> names;
  if (!name.empty()) names.push_back(name);
  // Parents have smaller numbers (directory() does not promise that), so this ends.
  for (std::uint64_t number = directory; number != 0;) {
    const auto element = reader.directory(number);
    if (!element || element->parent >= number) break;
    const auto entry = reader.entry(element->self_entry);
    if (!entry) break;
    names.push_back(entry->name());
    number = element->parent;
  }
  std::string path;
  for (auto it = names.rbegin(); it != names.rend(); ++it) {
    if (!path.empty()) path += '/';
    path += *it;
  }
  return path;
}

void IndexVerifier::run() {
  check_pages();
  totals_.resize(reader_.layout().directory_count);
  for (std::uint64_t number = 0; number < totals_.size() && !log_.failed(); ++number) check_directory(number);
  if (log_.failed()) return;
  check_counts();
  check_totals();
  check_links();
}

void IndexVerifier::check_pages() {
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

void IndexVerifier::check_directory(std::uint64_t number) {
  const auto fail = [&](const Error& error) { log_.damage(error.with_path(path_in_pack(reader_, number, ""))); };
  const auto directory = reader_.directory(number);
  if (!directory) return fail(directory.error());
  auto cursor = DirectoryCursor::open(reader_, {FileType::directory, directory->self_entry, number}, "");
  if (!cursor) return fail(cursor.error());
  subdirectories_ = 0;
  std::array<Entry, 64> batch;
  while (!log_.failed()) {
    const auto count = (*cursor)->next(batch);
    if (!count) return fail(count.error());
    if (*count == 0) break;
    for (const Entry& entry : std::span(batch).first(*count)) check_entry(entry, *directory);
  }
  if (subdirectories_ != directory->subdirectory_count) {
    fail(reader_.pages().corrupt(Section::directories, number * sizeof(DirectoryElement), "subdirectory count"));
  }
}

void IndexVerifier::check_entry(const Entry& entry, const Reader::Directory& directory) {
  ++log_.report().entries_checked;
  const Node parent{FileType::directory, directory.self_entry, directory.number};
  const auto fail = [&](const Error& error) {
    log_.damage(error.with_path(path_in_pack(reader_, directory.number, entry.name())));
  };
  const auto found = reader_.find(parent, entry.name());
  if (!found) {
    fail(found.error().code() == ErrorCode::no_entry
             ? reader_.pages().corrupt(Section::entries, entry.node().entry, "an entry that its name does not find")
             : found.error());
  } else if (found->entry != entry.node().entry) {
    fail(reader_.pages().corrupt(Section::entries, entry.node().entry, "a name that finds another entry"));
  }
  if (const auto stat = reader_.stat(entry.node()); !stat) fail(stat.error());
  if (const auto xattrs = reader_.xattrs(entry.node()); !xattrs) fail(xattrs.error());
  if (entry.type() == FileType::directory) {
    ++subdirectories_;
    ++directories_;
  }
  if (const auto raw = reader_.entry(entry.node().entry)) add_totals(*raw, directory.number);
}

void IndexVerifier::add_totals(const EntryRef& entry, std::uint64_t directory) {
  Totals& totals = totals_[directory];
  ++totals.entries;
  if (entry.type() == FileType::regular) totals.bytes += entry.size();
  const std::uint64_t link_id = entry.extra_or_zero(kHasLinkId);
  if (link_id == 0) return;
  ++totals.linked_names;
  Group& group = groups_[link_id];
  if (group.names++ == 0) group.inode = entry.inode();
}

/// Children have greater numbers, so one pass from the last to the first adds up every subtree.
void IndexVerifier::check_totals() {
  for (std::uint64_t number = totals_.size(); number-- > 0;) {
    const auto directory = reader_.directory(number);
    if (!directory) continue;  // reported before
    const Totals& sum = totals_[number];
    const Totals& stated = directory->totals;
    if (sum.entries != stated.entries || sum.bytes != stated.bytes || sum.linked_names != stated.linked_names) {
      log_.damage(reader_.pages()
                      .corrupt(Section::directories, number * sizeof(DirectoryElement), "totals of a directory")
                      .with_path(path_in_pack(reader_, number, "")));
    }
    if (number == 0 || directory->parent >= number) continue;
    Totals& above = totals_[directory->parent];
    above.entries += sum.entries;
    above.bytes += sum.bytes;
    above.linked_names += sum.linked_names;
  }
}

void IndexVerifier::check_counts() {
  const Layout& layout = reader_.layout();
  const auto fail = [&](std::size_t field, std::string_view what) {
    log_.damage(Error(ErrorCode::corrupt).with_offset(layout.total_length - sizeof(Footer) + field).with_note(what));
  };
  if (log_.report().entries_checked != layout.entry_count) fail(offsetof(Footer, entry_count), "entry count");
  if (directories_ != layout.directory_count) {
    fail(offsetof(Footer, directory_count), "a directory that no entry leads to");
  }
  const auto root = reader_.directory(0);
  if (!root) return;
  if (root->totals.bytes != layout.total_bytes) fail(offsetof(Footer, total_bytes), "total bytes");
  if (root->totals.linked_names != layout.total_linked) fail(offsetof(Footer, total_linked), "linked names");
  if (auto node = reader_.root(); !node) return log_.damage(std::move(node.error()));
  if (const auto stat = reader_.stat({FileType::directory, 0, 0}); !stat) log_.damage(stat.error());
}

void IndexVerifier::check_links() {
  const IndexPages& pages = reader_.pages();
  const std::uint64_t count = pages.length(Section::links) / sizeof(LinkElement);
  if (count != groups_.size()) {
    log_.damage(pages.corrupt(Section::links, 0, "another number of link groups than the entries have"));
    return;
  }
  std::uint64_t position = 0;
  for (const auto& [link_id, group] : groups_) {
    if (auto touched = pages.touch(Section::links, position, sizeof(LinkElement)); !touched) return;  // reported before
    const auto* link = reinterpret_cast<const LinkElement*>(pages.at(Section::links, position));
    if (link->link_id.get() != link_id || link->inode.get() != group.inode || link->nlink.get() != group.names) {
      log_.damage(pages.corrupt(Section::links, position, "a link group that is not what its names say"));
    }
    position += sizeof(LinkElement);
  }
}

}  // namespace packfs::pack
