#include <utility>

#include "pack/reader.h"

// From an entry to its content.
namespace packfs::pack {

Result<content::Stored> Reader::stored(const EntryRef& entry, std::uint64_t offset) const {
  if (entry.has(kHasSlot)) {
    return std::unexpected(pages_->corrupt(Section::entries, offset, "content in another file, but there is none"));
  }
  content::Stored stored;
  stored.form = entry.form();
  stored.size = entry.size();
  stored.location = entry.location();
  stored.stored_length = entry.extra_or_zero(kHasStoredLength);
  if (stored.form == content::Form::run && !entry.has(kHasStoredLength)) stored.stored_length = stored.size;
  return stored;
}

Result<std::uint64_t> Reader::size(const Node& file) const {
  const auto found = entry(file.entry);
  if (!found) [[unlikely]] {
    return std::unexpected(found.error());
  }
  return found->size();
}

Result<std::size_t> Reader::read(const Node& file, std::uint64_t offset, std::span<std::byte> buffer) const {
  const auto found = entry(file.entry);
  if (!found) [[unlikely]] {
    return std::unexpected(found.error());
  }
  const auto where = stored(*found, file.entry);
  if (!where) [[unlikely]] {
    return std::unexpected(where.error());
  }
  return contents_->read(*where, offset, buffer);
}

Result<std::span<const std::byte>> Reader::borrow(const Node& file) const {
  const auto found = entry(file.entry);
  if (!found) return std::unexpected(found.error());
  const auto where = stored(*found, file.entry);
  if (!where) return std::unexpected(where.error());
  return contents_->borrow(*where);
}

Result<tree::Table::Range> Reader::next_data(const Node& file, std::uint64_t offset) const {
  const auto found = entry(file.entry);
  if (!found) return std::unexpected(found.error());
  const auto where = stored(*found, file.entry);
  if (!where) return std::unexpected(where.error());
  const auto range = contents_->next_data(*where, offset);
  if (!range) return std::unexpected(range.error());
  return Range{range->begin, range->end};
}

Result<std::string> Reader::readlink(const Node& symlink) const {
  const auto found = entry(symlink.entry);
  if (!found) return std::unexpected(found.error());
  const auto where = stored(*found, symlink.entry);
  if (!where) return std::unexpected(where.error());
  // At most 1 MiB: the page it stands in was checked.
  std::string target(where->size, '\0');
  const auto read = contents_->read(*where, 0, std::as_writable_bytes(std::span(target)));
  if (!read) return std::unexpected(read.error());
  if (*read != target.size() || target.find('\0') != std::string::npos) {
    return std::unexpected(Error(ErrorCode::corrupt).with_offset(where->location).with_note("a symlink's target"));
  }
  return target;
}

}  // namespace packfs::pack
