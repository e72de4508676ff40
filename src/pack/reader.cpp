#include "pack/reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/io_loops.h"
#include "log/file_header.h"
#include "pack/directory_cursor.h"
#include "pack/name_hash.h"

namespace packfs::pack {
namespace {

Result<std::uint64_t> regular_file_size(base::Io& io, int fd) {
  struct statx status{};
  if (auto done = base::checked(io.statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &status)); !done) {
    return std::unexpected(std::move(done.error()));
  }
  if (S_ISDIR(status.stx_mode)) return std::unexpected(Error(ErrorCode::is_a_directory));
  if (!S_ISREG(status.stx_mode)) return std::unexpected(Error(ErrorCode::invalid).with_note("not a regular file"));
  return status.stx_size;
}

/// The segment id of a sound file header.
Result<std::uint64_t> read_header(const content::Source& source) {
  std::array<std::byte, sizeof(log::FileHeader)> bytes{};
  const std::uint64_t held = std::min<std::uint64_t>(bytes.size(), source.length());
  if (auto read = source.copy(0, std::span(bytes).first(held)); !read) return std::unexpected(std::move(read.error()));
  const auto header = log::decode_file_header(std::span(bytes).first(held));
  if (!header) return std::unexpected(header.error());
  return header->segment_id;
}

Result<Layout> read_layout(const content::Source& source) {
  const auto segment_id = read_header(source);
  if (!segment_id) return std::unexpected(segment_id.error());
  const std::uint64_t length = source.length();
  if (length < sizeof(log::FileHeader) + sizeof(Footer)) {
    return std::unexpected(
        Error(ErrorCode::corrupt).with_offset(length).with_note("no footer: the file was cut off or never sealed"));
  }
  std::array<std::byte, sizeof(Footer)> bytes{};
  if (auto read = source.copy(length - bytes.size(), bytes); !read) return std::unexpected(std::move(read.error()));
  return decode_footer(bytes, length, *segment_id);
}

}  // namespace

Reader::Reader(std::unique_ptr<content::Source> source, const Layout& layout) noexcept
    : source_(std::move(source)), layout_(layout) {}

Result<Ref<const Reader>> Reader::open(base::Io& io, const std::string& path, ReadMode mode) {
  // Without O_NONBLOCK a FIFO given by mistake would hang here.
  auto fd = base::checked(io.openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0));
  if (!fd) return std::unexpected(std::move(fd.error()));
  return open(io, base::unique_fd(io, *fd), mode);
}

Result<Ref<const Reader>> Reader::open(base::Io& io, base::unique_fd fd, ReadMode mode) {
  const auto length = regular_file_size(io, fd.get());
  if (!length) return std::unexpected(length.error());
  auto source = content::Source::open(io, std::move(fd), *length, mode == ReadMode::mmap);
  if (!source) return std::unexpected(std::move(source.error()));
  const auto layout = read_layout(**source);
  if (!layout) return std::unexpected(layout.error());

  Ref<Reader> reader(new Reader(std::move(*source), *layout));
  auto pages = IndexPages::make(*reader->source_, *layout);
  if (!pages) return std::unexpected(std::move(pages.error()));
  reader->pages_ = std::move(*pages);
  auto contents = content::StoredReader::make(*reader->source_, sizeof(log::FileHeader), layout->log_end);
  if (!contents) return std::unexpected(std::move(contents.error()));
  reader->contents_ = std::move(*contents);
  return Ref<const Reader>(reader);
}

std::uint64_t Reader::origin() const noexcept {
  std::uint64_t origin = 0;
  std::memcpy(&origin, layout_.pack_id.data(), sizeof origin);
  return origin;
}

PackInfo Reader::info() const {
  PackInfo info;
  info.pack_id = layout_.pack_id;
  info.format_version = log::kFormatVersion;
  info.file_bytes = layout_.total_length;
  info.log_bytes = layout_.log_end;
  info.index_bytes = layout_.total_length - layout_.log_end;
  info.directories = layout_.directory_count;
  info.entries = layout_.entry_count;
  info.content_bytes = layout_.total_bytes;
  info.linked_names = layout_.total_linked;
  info.records = layout_.record_count;
  return info;
}

Result<EntryRef> Reader::entry_slowly(std::uint64_t offset) const {
  if (auto touched = pages_->touch(Section::entries, offset, sizeof(EntryElement)); !touched) {
    return std::unexpected(std::move(touched.error()));
  }
  const auto found = EntryRef::at(pages_->at(Section::entries, offset), pages_->left_in_page(Section::entries, offset));
  if (!found) return std::unexpected(pages_->corrupt(Section::entries, offset, "no entry here"));
  return *found;
}

/// A directory's element, verified, with the one before it when there is one; its fields are unchecked.
Result<const DirectoryElement*> Reader::element(std::uint64_t number) const {
  if (number >= layout_.directory_count) [[unlikely]] {
    return std::unexpected(
        pages_->corrupt(Section::directories, layout_.section(Section::directories).length, "no such directory"));
  }
  const std::uint64_t offset = number * sizeof(DirectoryElement);
  const std::uint64_t begin = number == 0 ? 0 : offset - sizeof(DirectoryElement);
  if (auto touched = pages_->touch(Section::directories, begin, offset - begin + sizeof(DirectoryElement)); !touched)
      [[unlikely]] {
    return std::unexpected(std::move(touched.error()));
  }
  return reinterpret_cast<const DirectoryElement*>(pages_->at(Section::directories, offset));
}

/// What is wrong with a directory's element, `before` being the one before it if there is one; null when nothing is.
const char* Reader::fault_of(const DirectoryElement& element, const DirectoryElement* before) const {
  const std::uint64_t begin = element.table_offset.get();
  const std::uint64_t length = element.table_length.get();
  if (!base::range_fits(begin, length, pages_->length(Section::entries)) || begin % kEntryAlignment != 0 ||
      length < element.entry_count.get()) {
    return "a table that is out of its place";
  }
  if (before != nullptr && !base::range_fits(before->table_offset.get(), before->table_length.get(), begin)) {
    return "a table that overlaps another";
  }
  if (element.delta_depth.get() != 0 || element.delta_slot.get() != 0 || element.delta_directory.get() != 0) {
    return "a delta in a pack that stands alone";
  }
  const std::uint64_t total_entries = element.total_entries.get();
  if (total_entries > layout_.entry_count || element.entry_count.get() > total_entries) {
    return "more entries than there can be";
  }
  return nullptr;
}

Result<Reader::Directory> Reader::directory(std::uint64_t number) const {
  const auto found = element(number);
  if (!found) return std::unexpected(found.error());
  // Copies, so that what was checked is what is used, even if the file is changed meanwhile.
  const DirectoryElement element = **found;
  const DirectoryElement before = number == 0 ? DirectoryElement{} : (*found)[-1];
  if (const char* fault = fault_of(element, number == 0 ? nullptr : &before)) {
    return std::unexpected(pages_->corrupt(Section::directories, number * sizeof(DirectoryElement), fault));
  }
  Directory directory;
  directory.number = number;
  directory.parent = element.parent.get();
  directory.self_entry = element.self_entry.get();
  directory.table_begin = element.table_offset.get();
  directory.table_end = directory.table_begin + element.table_length.get();
  directory.entry_count = element.entry_count.get();
  directory.subdirectory_count = element.subdirectory_count.get();
  directory.totals = {element.total_entries.get(), element.total_bytes.get(), element.total_linked.get()};
  return directory;
}

Result<Node> Reader::root() const {
  const auto element = directory(0);
  if (!element) return std::unexpected(element.error());
  if (element->self_entry != 0 || element->parent != 0) {
    return std::unexpected(pages_->corrupt(Section::directories, 0, "the root is not where it must be"));
  }
  return Node{.type = FileType::directory};
}

Result<Reader::Directory> Reader::child(const EntryRef& entry, std::uint64_t offset, std::uint64_t parent) const {
  auto node = directory_node(entry.location(), offset, parent);
  if (!node) return std::unexpected(std::move(node.error()));
  return directory(node->directory);
}

/// The Node of directory `number`, which the entry at `offset` in the table of `parent` names.
Result<Node> Reader::directory_node(std::uint64_t number, std::uint64_t offset, std::uint64_t parent) const {
  if (number <= parent) [[unlikely]] {
    return std::unexpected(pages_->corrupt(Section::entries, offset, "a directory that leads back up"));
  }
  const auto found = element(number);
  if (!found) [[unlikely]] {
    return std::unexpected(found.error());
  }
  if ((*found)->parent.get() != parent || (*found)->self_entry.get() != offset) [[unlikely]] {
    return std::unexpected(pages_->corrupt(Section::entries, offset, "a directory that belongs elsewhere"));
  }
  return Node{.type = FileType::directory, .entry = offset, .directory = number};
}

Result<Node> Reader::find(const Node& directory, std::string_view name) const {
  if (layout_.hash_slots == 0) return find_sorted(directory, name);
  return find_hashed(directory.directory, name);
}

Result<Node> Reader::find_hashed(std::uint64_t number, std::string_view name) const {
  const std::uint64_t hash = name_hash(layout_.hash_seed, number, name);
  const std::uint64_t home = home_slot(hash, layout_.hash_slots);
  const std::uint64_t probes = std::uint64_t{layout_.max_probe} + 1;
  if (auto touched = pages_->touch(Section::hash, home * 8, probes * 8); !touched) [[unlikely]] {
    return std::unexpected(std::move(touched.error()));
  }
  const std::byte* slots = pages_->at(Section::hash, home * 8);
  for (std::uint64_t i = 0; i < probes; ++i) {
    const auto slot = base::load_le<std::uint64_t>(slots + i * 8);
    if (slot == 0) break;
    if (slot_tag(slot) != hash_tag(hash)) continue;
    const std::uint64_t offset = slot_entry(slot);
    const auto candidate = entry(offset);
    if (!candidate) [[unlikely]] {
      return std::unexpected(candidate.error());
    }
    // A slot may point into the middle of an entry, whose page was checked as what it is and not as what it seems here.
    if (candidate->name() != name || !candidate->is_well_formed()) continue;
    const auto holder = element(number);
    if (!holder) [[unlikely]] {
      return std::unexpected(holder.error());
    }
    if (const char* fault = fault_of(**holder, number == 0 ? nullptr : *holder - 1)) [[unlikely]] {
      return std::unexpected(pages_->corrupt(Section::directories, number * sizeof(DirectoryElement), fault));
    }
    // The same name in another directory may have the same hash.
    if (offset - (*holder)->table_offset.get() >= (*holder)->table_length.get()) continue;
    return node_of(*candidate, offset, number);
  }
  return std::unexpected(Error(ErrorCode::no_entry));
}

Result<Node> Reader::find_sorted(const Node& directory, std::string_view name) const {
  auto cursor = DirectoryCursor::open(*this, directory, name);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  Entry entry;
  const auto count = (*cursor)->next({&entry, 1});
  if (!count) return std::unexpected(count.error());
  if (*count == 0 || entry.name() != name) return std::unexpected(Error(ErrorCode::no_entry));
  return entry.node();
}

Result<std::unique_ptr<tree::Cursor>> Reader::list(const Node& directory, std::string_view from) const {
  auto cursor = DirectoryCursor::open(*this, directory, from);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  return std::unique_ptr<tree::Cursor>(std::move(*cursor));
}

Result<Totals> Reader::totals(const Node& node) const {
  const auto element = directory(node.directory);
  if (!element) return std::unexpected(element.error());
  return element->totals;
}

}  // namespace packfs::pack
