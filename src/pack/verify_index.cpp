#include "pack/verify_index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "pack/directory_cursor.h"
#include "pack/verify_path.h"

namespace packfs::pack {

void IndexVerifier::run() {
  sections_.run();
  if (log_.failed()) return;
  check_root();
  totals_.resize(reader_.layout().directory_count);
  for (std::uint64_t number = 0; number < totals_.size() && !log_.failed(); ++number) check_directory(number);
  if (log_.failed()) return;
  if (tables_end_ != reader_.pages().length(Section::entries)) {
    log_.damage(reader_.pages().corrupt(Section::entries, tables_end_, "bytes that belong to no table"));
  }
  if (const std::uint64_t used = attribute_sets_ * sizeof(AttributeSet);
      used < reader_.pages().length(Section::attribute_sets)) {
    log_.damage(reader_.pages().corrupt(Section::attribute_sets, used, "attribute sets that no entry has"));
  }
  check_counts();
  check_totals();
  check_links();
}

void IndexVerifier::check_root() {
  const auto root = reader_.root();
  if (!root) return log_.damage(root.error());
  const auto entry = reader_.entry(root->entry);
  if (!entry) return log_.damage(entry.error());
  tables_end_ = entry->bytes();
  if (auto good = check_attributes(*root); !good) log_.damage(std::move(good.error()));
}

void IndexVerifier::fail_directory(std::uint64_t number, const char* what) {
  log_.damage_at(reader_.pages().corrupt(Section::directories, number * sizeof(DirectoryElement), what),
                 [&] { return path_in_pack(reader_, number, ""); });
}

void IndexVerifier::check_directory(std::uint64_t number) {
  const auto directory = reader_.directory(number);
  if (!directory) {
    log_.damage_at(directory.error(), [&] { return path_in_pack(reader_, number, ""); });
    return;
  }
  const auto* element = reinterpret_cast<const DirectoryElement*>(
      reader_.pages().at(Section::directories, number * sizeof(DirectoryElement)));
  if (element->change_commit.get() > reader_.layout().last_commit) fail_directory(number, "change commit");
  // What lies over another table is not walked: work would no longer be bounded by the section's length.
  if (!check_place(*directory)) return fail_directory(number, "a table that is out of its place");
  subdirectories_ = 0;
  check_table(*directory);
  if (subdirectories_ != directory->subdirectory_count) fail_directory(number, "subdirectory count");
}

/// Tables follow one another, at most the filling at the end of a page between them.
bool IndexVerifier::check_place(const Reader::Directory& directory) {
  const std::uint64_t begin = directory.table_begin;
  const std::uint64_t before = std::exchange(tables_end_, std::max(tables_end_, directory.table_end));
  if (begin == before) return true;
  if (directory.table_begin == directory.table_end) return false;
  return begin == *base::align_up(before, kPageBytes) && !reader_.pages().is_entry(before);
}

void IndexVerifier::check_table(const Reader::Directory& directory) {
  const auto fail = [&](const Error& error) {
    log_.damage_at(error, [&] { return path_in_pack(reader_, directory.number, ""); });
  };
  auto cursor = DirectoryCursor::open(
      reader_, {.type = FileType::directory, .entry = directory.self_entry, .directory = directory.number}, "");
  if (!cursor) return fail(cursor.error());
  std::array<Entry, 64> batch;
  while (!log_.failed()) {
    const auto count = (*cursor)->next(batch);
    if (!count) return fail(count.error());
    if (*count == 0) return;
    for (const Entry& entry : std::span(batch).first(*count)) check_entry(entry, directory);
  }
}

void IndexVerifier::check_entry(const Entry& entry, const Reader::Directory& directory) {
  ++log_.report().entries_checked;
  const auto check = [&](const Result<void>& good) {
    if (good) return;
    log_.damage_at(good.error(), [&] { return path_in_pack(reader_, directory.number, entry.name()); });
  };
  check(find_again(entry, directory));
  check(check_attributes(entry.node()));
  if (entry.type() == FileType::directory) {
    ++subdirectories_;
    ++directories_;
  }
  const std::uint64_t offset = entry.node().entry;
  if (const auto raw = reader_.entry(offset)) check(add_totals(*raw, offset, directory.number));
}

Result<void> IndexVerifier::find_again(const Entry& entry, const Reader::Directory& directory) const {
  const Node parent{.type = FileType::directory, .entry = directory.self_entry, .directory = directory.number};
  const std::uint64_t offset = entry.node().entry;
  const auto found = reader_.find(parent, entry.name());
  if (!found && found.error().code() != ErrorCode::no_entry) return std::unexpected(found.error());
  if (found && found->entry == offset) return {};
  const char* what = found ? "a name that finds another entry" : "an entry that its name does not find";
  return std::unexpected(reader_.pages().corrupt(Section::entries, offset, what));
}

/// What an entry refers to: attributes, links, extended attributes, content in this file.
Result<void> IndexVerifier::check_attributes(const Node& node) {
  const auto entry = reader_.entry(node.entry);
  if (!entry) return std::unexpected(entry.error());
  greatest_inode_ = std::max(greatest_inode_, entry->inode());
  attribute_sets_ = std::max(attribute_sets_, std::uint64_t{entry->attribute_set()} + 1);
  if (const auto stat = reader_.stat(node); !stat) return std::unexpected(stat.error());
  if (const auto stored = reader_.stored(*entry, node.entry); !stored) return std::unexpected(stored.error());
  if (!entry->has(kHasXattrs) || sections_.is_xattr_list(entry->extra_or_zero(kHasXattrs))) return {};
  return std::unexpected(
      reader_.pages().corrupt(Section::entries, node.entry, "extended attributes that are not there"));
}

Result<void> IndexVerifier::add_totals(const EntryRef& entry, std::uint64_t offset, std::uint64_t directory) {
  Totals& totals = totals_[directory];
  ++totals.entries;
  if (entry.type() == FileType::regular) totals.bytes += entry.size();
  const std::uint64_t link_id = entry.extra_or_zero(kHasLinkId);
  if (link_id == 0) return {};
  ++totals.linked_names;
  Group& group = groups_[link_id];
  if (group.names++ == 0) group.first = offset;
  const auto first = reader_.entry(group.first);
  if (!first || first->is_same_file(entry)) return {};
  return std::unexpected(reader_.pages().corrupt(Section::entries, offset, "a link that is not as its first name is"));
}

/// Children have greater numbers, so one pass from the last to the first adds up every subtree.
void IndexVerifier::check_totals() {
  for (std::uint64_t number = totals_.size(); number-- > 0;) {
    const auto directory = reader_.directory(number);
    if (!directory) continue;  // reported before
    const Totals& sum = totals_[number];
    const Totals& stated = directory->totals;
    if (sum.entries != stated.entries || sum.bytes != stated.bytes || sum.linked_names != stated.linked_names) {
      fail_directory(number, "totals of a directory");
    }
    if (number == 0 || directory->parent >= number) continue;
    Totals& above = totals_[directory->parent];
    above.entries += sum.entries;
    above.bytes += sum.bytes;
    above.linked_names += sum.linked_names;
  }
}

void IndexVerifier::fail_footer(std::size_t field, std::string_view what) {
  const std::uint64_t footer = reader_.layout().total_length - sizeof(Footer);
  log_.damage(Error(ErrorCode::corrupt).with_offset(footer + field).with_note(what));
}

void IndexVerifier::check_counts() {
  const Layout& layout = reader_.layout();
  if (log_.report().entries_checked != layout.entry_count) fail_footer(offsetof(Footer, entry_count), "entry count");
  if (directories_ != layout.directory_count) {
    fail_footer(offsetof(Footer, directory_count), "a directory that no entry leads to");
  }
  if (layout.next_inode != greatest_inode_ + 1) fail_footer(offsetof(Footer, next_inode), "next inode number");
  const std::uint64_t greatest_link = groups_.empty() ? 0 : groups_.rbegin()->first;
  if (layout.next_link_id != greatest_link + 1) fail_footer(offsetof(Footer, next_link_id), "next link id");
  const auto root = reader_.directory(0);
  if (!root) return;  // reported before
  if (root->totals.entries != layout.entry_count) fail_footer(offsetof(Footer, entry_count), "entries of the root");
  if (root->totals.bytes != layout.total_bytes) fail_footer(offsetof(Footer, total_bytes), "total bytes");
  if (root->totals.linked_names != layout.total_linked) fail_footer(offsetof(Footer, total_linked), "linked names");
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
    const auto first = reader_.entry(group.first);
    if (link->link_id.get() != link_id || !first || link->inode.get() != first->inode() ||
        link->nlink.get() != group.names || group.names < 2) {
      log_.damage(pages.corrupt(Section::links, position, "a link group that is not what its names say"));
    }
    position += sizeof(LinkElement);
  }
}

}  // namespace packfs::pack
