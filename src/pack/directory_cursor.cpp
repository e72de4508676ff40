#include "pack/directory_cursor.h"

#include <utility>

namespace packfs::pack {
namespace {

constexpr std::uint64_t page_start(std::uint64_t offset) { return offset & ~(kPageBytes - 1); }

}  // namespace

DirectoryCursor::DirectoryCursor(const Reader& reader, const Reader::Directory& directory) noexcept
    : reader_(reader), directory_(directory), at_(directory.table_begin), left_(directory.totals.entries) {}

Result<std::unique_ptr<DirectoryCursor>> DirectoryCursor::open(const Reader& reader, const Node& directory,
                                                               std::string_view from) {
  const auto element = reader.directory(directory.directory);
  if (!element) return std::unexpected(element.error());
  if (element->table_begin != element->table_end) {
    const IndexPages& pages = reader.pages();
    if (auto touched = pages.touch(Section::entries, element->table_begin, 1); !touched) {
      return std::unexpected(std::move(touched.error()));
    }
    if (!pages.is_entry(element->table_begin)) {
      return std::unexpected(
          pages.corrupt(Section::entries, element->table_begin, "a table that begins inside an entry"));
    }
  }
  std::unique_ptr<DirectoryCursor> cursor(new DirectoryCursor(reader, *element));
  if (!from.empty()) {
    if (auto found = cursor->seek(from); !found) return std::unexpected(std::move(found.error()));
  }
  return cursor;
}

/// Steps over the filling at a page's end, so that at_ is an entry in a verified page, or the table's end.
Result<void> DirectoryCursor::settle() {
  const IndexPages& pages = reader_.pages();
  if (at_ >= directory_.table_end) return check_end();
  if (at_ < verified_end_) [[likely]] {
    if (verified_end_ - at_ >= sizeof(EntryElement) && pages.at(Section::entries, at_)[1] != std::byte{0}) return {};
    at_ = page_start(at_) + kPageBytes;
    if (at_ >= directory_.table_end) {
      return std::unexpected(pages.corrupt(Section::entries, at_, "a table that ends in filling"));
    }
  }
  if (auto touched = pages.touch(Section::entries, at_, 1); !touched) return touched;
  verified_end_ = at_ + pages.left_in_page(Section::entries, at_);
  return {};
}

Result<void> DirectoryCursor::check_end() const {
  if (at_ == directory_.table_end && (!from_start_ || (taken_ == directory_.entry_count && left_ == 0))) return {};
  return std::unexpected(
      reader_.pages().corrupt(Section::entries, at_, "a table with another number of entries than its directory says"));
}

/// The entry at at_, which settle() has found.
Result<EntryRef> DirectoryCursor::peek() const {
  const IndexPages& pages = reader_.pages();
  const auto entry = EntryRef::at(pages.at(Section::entries, at_), verified_end_ - at_);
  const char* fault = nullptr;
  if (!entry) {
    fault = "no entry here";
  } else if (entry->is_first_in_table() != (at_ == directory_.table_begin)) {
    fault = "a table whose first entry is not marked so, or another is";
  } else if (at_ == page_start(at_) && entry->name() <= previous_) {
    // Within a page the order was checked with the page; only its first name has its neighbour elsewhere.
    fault = "names out of order";
  } else if (entry->bytes() > directory_.table_end - at_) {
    fault = "an entry that leaves its table";
  }
  if (fault != nullptr) return std::unexpected(pages.corrupt(Section::entries, at_, fault));
  return *entry;
}

/// The entry's Node, once it and all below it are counted as what may come of this directory.
Result<Node> DirectoryCursor::count(const EntryRef& entry) {
  std::uint64_t below = 0;
  Node node{.type = entry.type(), .entry = at_};
  if (entry.type() == FileType::directory) {
    const auto child = reader_.child(entry, at_, directory_.number);
    if (!child) return std::unexpected(child.error());
    node.directory = child->number;
    below = child->totals.entries;
  }
  if (below >= left_) {
    return std::unexpected(reader_.pages().corrupt(Section::entries, at_, "more entries than the directory says"));
  }
  left_ -= below + 1;
  return node;
}

void DirectoryCursor::pass(const EntryRef& entry) {
  previous_ = entry.name();
  at_ += entry.bytes();
  ++taken_;
}

Result<std::size_t> DirectoryCursor::next(std::span<Entry> entries) {
  std::size_t filled = 0;
  // Damage behind the first entry ends the batch; the next call meets it again.
  while (filled < entries.size()) {
    if (auto settled = settle(); !settled) {
      if (filled != 0) break;
      return std::unexpected(std::move(settled.error()));
    }
    if (at_ == directory_.table_end) break;
    const auto entry = peek();
    if (!entry) {
      if (filled != 0) break;
      return std::unexpected(entry.error());
    }
    const auto node = count(*entry);
    if (!node) {
      if (filled != 0) break;
      return std::unexpected(node.error());
    }
    entries[filled++] = Entry(&reader_, entry->name(), *node);
    pass(*entry);
  }
  return filled;
}

Result<void> DirectoryCursor::seek(std::string_view from) {
  const auto start = page_before(from);
  if (!start) return std::unexpected(start.error());
  at_ = *start;
  from_start_ = at_ == directory_.table_begin;
  while (true) {
    if (auto settled = settle(); !settled) return settled;
    if (at_ == directory_.table_end) return {};
    const auto entry = peek();
    if (!entry) return std::unexpected(entry.error());
    if (entry->name() >= from) return {};
    // What is passed over is not counted with what lies below it, so the sums at the end would not fit.
    from_start_ = false;
    pass(*entry);
  }
}

/// Where to begin looking for `from`: the table's start, or the start of the last of its pages whose first name is not
/// above it.
Result<std::uint64_t> DirectoryCursor::page_before(std::string_view from) const {
  std::uint64_t low = 0;  // pages behind the table's start, 0 being the start itself
  const std::uint64_t base = page_start(directory_.table_begin);
  std::uint64_t high =
      directory_.table_end == directory_.table_begin ? 0 : (directory_.table_end - 1 - base) >> kPageLog2;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    const auto entry = reader_.entry(base + (middle << kPageLog2));
    if (!entry) return std::unexpected(entry.error());
    if (entry->name() <= from) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low == 0 ? directory_.table_begin : base + (low << kPageLog2);
}

}  // namespace packfs::pack
