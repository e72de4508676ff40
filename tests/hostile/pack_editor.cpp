#include "hostile/pack_editor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/unique_fd.h"
#include "content/encode.h"
#include "content/source.h"
#include "log/record_content.h"
#include "log/scanner.h"
#include "pack/entry.h"
#include "pack/name_hash.h"
#include "support/memory_io.h"

namespace packfs::testing {
namespace {

using Bytes = PackEditor::Bytes;
using content::Form;
using pack::Section;

template <class T>
T taken(Result<T> result) {
  if (!result) throw std::runtime_error("PackEditor: " + result.error().message());
  return std::move(*result);
}

std::unique_ptr<content::Source> source_over(MemoryIo& io, std::uint64_t length) {
  return taken(content::Source::open(io, base::unique_fd(io, MemoryIo::kDescriptor), length, false));
}

std::uint64_t segment_of(const Bytes& log) {
  return base::load_le<std::uint64_t>(log.data() + offsetof(log::FileHeader, segment_id));
}

void seal_file_header(Bytes& log) {
  const auto covered = std::span(log).first(offsetof(log::FileHeader, checksum));
  base::store_le(log.data() + covered.size(), base::xxh3(covered));
}

// As long as the head says it is now, if there is room for that.
void seal_head(Bytes& log, const PackEditor::Place& place) {
  const std::span bytes = std::span(log).subspan(place.offset);
  const auto lengths = log::peek_head(bytes.first<sizeof(log::RecordHeader)>(), place.offset);
  const bool stated = lengths && lengths->head_bytes <= bytes.size();
  const auto head = bytes.first(stated ? lengths->head_bytes : place.head_bytes);
  const std::uint64_t seed = segment_of(log) + place.offset * log::kOffsetFactor;
  base::store_le(head.data(), base::xxh3(head.subspan(sizeof(base::Le64)), seed));
}

void seal_run(Bytes& log, const PackEditor::Place& place) {
  std::uint64_t trailer = place.content_end;
  for (std::uint64_t at = place.content_begin; at < place.content_end; at += content::kBlockBytes) {
    const std::uint64_t length = std::min(content::kBlockBytes, place.content_end - at);
    base::store_le(log.data() + trailer, base::xxh3(std::span(log).subspan(at, length)));
    trailer += sizeof(base::Le64);
  }
}

// The blocks' checksums, as far as the table says where blocks are.
void seal_packed(Bytes& log, const PackEditor::Place& place) {
  const auto block_log2 = std::to_integer<unsigned>(log[place.content_begin]);
  if (block_log2 < content::kMinBlockLog2 || block_log2 > content::kMaxBlockLog2) return;
  const std::uint64_t block_bytes = std::uint64_t{1} << block_log2;
  const std::uint64_t blocks = (place.raw_bytes + block_bytes - 1) / block_bytes;
  std::uint64_t element = place.content_begin + sizeof(content::PackedHeader);
  std::uint64_t at = element + blocks * sizeof(content::PackedBlock);
  for (std::uint64_t i = 0; i < blocks; ++i, element += sizeof(content::PackedBlock)) {
    if (element + sizeof(content::PackedBlock) > place.content_end) return;
    const auto word = base::load_le<std::uint32_t>(log.data() + element);
    const std::uint64_t stored = word & 0xFFF'FFFF;
    const std::uint64_t raw = std::min(block_bytes, place.raw_bytes - i * block_bytes);
    if (!base::range_fits(at, stored, log.size())) return;
    const std::uint64_t seed = content::packed_block_seed(word, block_log2, raw);
    base::store_le(log.data() + element + offsetof(content::PackedBlock, checksum),
                   base::xxh3(std::span(log).subspan(at, stored), seed));
    at += stored;
  }
}

void append_section(Bytes& file, Section which, const Bytes& content, pack::Footer& footer) {
  if (content.empty()) return;
  log::Record record;
  record.type = log::RecordType::index;
  record.form = Form::run;
  record.fields = log::kSection;
  record.section = static_cast<std::uint64_t>(which);
  record.content_length = content.size();
  const std::uint64_t offset = file.size();
  if (!log::encode_head(record, segment_of(file), offset, file)) throw std::runtime_error("PackEditor: encode_head");
  const auto extent = taken(log::record_extent(record, offset, file.size() - offset));
  file.resize(extent.content_begin);
  file.insert(file.end(), content.begin(), content.end());
  content::append_run_trailer(content, file);
  file.resize(extent.next);
  auto& range = footer.sections[static_cast<std::size_t>(which) - 1];
  range.offset.set(extent.content_begin);
  range.length.set(content.size());
}

void append_page_checksums(Bytes& checksums, const Bytes& section) {
  for (std::uint64_t at = 0; at < section.size(); at += pack::kPageBytes) {
    std::byte bytes[8];
    base::store_le(bytes, base::xxh3(std::span(section).subspan(at, std::min(pack::kPageBytes, section.size() - at))));
    checksums.insert(checksums.end(), bytes, bytes + sizeof bytes);
  }
}

std::array<std::uint8_t, 16> pack_id_of(const Bytes& file, std::uint64_t segment_id) {
  MemoryIo io(file);
  const auto source = source_over(io, file.size());
  log::Scanner scanner(*source, segment_id, sizeof(log::FileHeader), file.size());
  base::Xxh3Stream128 checksums;
  while (true) {
    const auto next = scanner.next();
    if (!next || !next->has_value()) break;
    if (!log::add_to_pack_id(*source, **next, checksums)) break;
  }
  return checksums.digest();
}

// Where an optional field stands in its entry, or would stand.
std::uint64_t extra_offset(const pack::EntryElement& element, pack::Presence field) {
  const unsigned before = element.presence.get() & (unsigned{field} - 1);
  return sizeof(pack::EntryElement) + 8 * static_cast<std::uint64_t>(std::popcount(before)) +
         ((before & pack::kHasCtime) != 0 ? 8 : 0);
}

PackEditor::Place place_of(const log::ScannedRecord& scanned) {
  return {.type = scanned.record.type,
          .form = scanned.record.form,
          .name = std::string(scanned.record.name),
          .offset = scanned.offset,
          .head_bytes = scanned.head_bytes,
          .attributes = scanned.offset + sizeof(log::RecordHeader) + scanned.record.name.size(),
          .content_begin = scanned.extent.content_begin,
          .content_end = scanned.extent.content_end,
          .raw_bytes = scanned.record.form == Form::packed ? scanned.record.size : 0};
}

}  // namespace

PackEditor::PackEditor(std::span<const std::byte> pack) {
  std::memcpy(&footer_, pack.last(sizeof footer_).data(), sizeof footer_);
  const auto log = pack.first(footer_.log_end.get());
  log_.assign(log.begin(), log.end());
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const auto& range = footer_.sections[i];
    const auto bytes = pack.subspan(range.offset.get(), range.length.get());
    sections_[i].assign(bytes.begin(), bytes.end());
  }
  MemoryIo io(log_);
  const auto source = source_over(io, log_.size());
  log::Scanner scanner(*source, segment_of(log_), sizeof(log::FileHeader), log_.size());
  while (const auto next = taken(scanner.next())) records_.push_back(place_of(*next));
}

const PackEditor::Place& PackEditor::record(log::RecordType type, std::string_view name) const {
  const auto is_it = [&](const Place& place) { return place.type == type && place.name == name; };
  const auto found = std::ranges::find_if(records_, is_it);
  if (found == records_.end()) throw std::runtime_error("PackEditor: no record of " + std::string(name));
  return *found;
}

std::vector<std::uint64_t> PackEditor::entries() const {
  const Bytes& bytes = sections_[static_cast<std::size_t>(Section::entries) - 1];
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = 0; at < bytes.size();) {
    const std::uint64_t page_end = std::min<std::uint64_t>(bytes.size(), (at | (pack::kPageBytes - 1)) + 1);
    const auto entry = pack::EntryRef::at(bytes.data() + at, page_end - at);
    if (entry) offsets.push_back(at);
    at = entry ? at + entry->bytes() : page_end;
  }
  return offsets;
}

std::uint64_t PackEditor::entry(std::string_view name) const {
  const Bytes& bytes = sections_[static_cast<std::size_t>(Section::entries) - 1];
  for (const std::uint64_t at : entries()) {
    if (pack::EntryRef::at(bytes.data() + at, bytes.size() - at)->name() == name) return at;
  }
  throw std::runtime_error("PackEditor: no entry " + std::string(name));
}

std::span<char> PackEditor::name_of(std::uint64_t entry) {
  Bytes& bytes = section(Section::entries);
  const auto name = pack::EntryRef::at(bytes.data() + entry, bytes.size() - entry)->name();
  auto* all = reinterpret_cast<char*>(bytes.data());
  return {all + (name.data() - all), name.size()};
}

std::span<char> PackEditor::name_of(const Place& record) {
  return {reinterpret_cast<char*>(log_.data()) + record.offset + sizeof(log::RecordHeader), record.name.size()};
}

std::uint64_t PackEditor::directory(std::string_view name) const {
  const Bytes& bytes = sections_[static_cast<std::size_t>(Section::entries) - 1];
  return base::load_le<std::uint64_t>(bytes.data() + entry(name) + offsetof(pack::EntryElement, location));
}

std::uint64_t PackEditor::extra(std::uint64_t entry, pack::Presence field) {
  return entry + extra_offset(element<pack::EntryElement>(Section::entries, entry), field);
}

void PackEditor::set_presence(std::uint64_t entry, pack::Presence field, std::span<const std::byte> value) {
  clear_presence(entry, field);
  auto& element = this->element<pack::EntryElement>(Section::entries, entry);
  resize_entry(entry, extra_offset(element, field), 0, value);
  auto& grown = this->element<pack::EntryElement>(Section::entries, entry);
  grown.presence.set(grown.presence.get() | field);
}

void PackEditor::clear_presence(std::uint64_t entry, pack::Presence field) {
  auto& element = this->element<pack::EntryElement>(Section::entries, entry);
  if ((element.presence.get() & field) == 0) return;
  element.presence.set(static_cast<std::uint16_t>(element.presence.get() & ~field));
  resize_entry(entry, extra_offset(element, field), field == pack::kHasCtime ? 16 : 8, {});
}

// Replaces bytes within an entry; entries behind it move by the difference (all of it: fields are multiples of 8).
void PackEditor::resize_entry(std::uint64_t entry, std::uint64_t at, std::uint64_t old_bytes,
                              std::span<const std::byte> value) {
  Bytes& bytes = section(Section::entries);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(entry + at);
  bytes.insert(bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(old_bytes)), value.begin(), value.end());
  const std::uint64_t moved_by = value.size() - old_bytes;  // mod 2^64
  const auto moved = [&](std::uint64_t offset) { return offset > entry ? offset + moved_by : offset; };
  for (std::uint64_t i = 0; i < section(Section::directories).size(); i += sizeof(pack::DirectoryElement)) {
    auto& directory = element<pack::DirectoryElement>(Section::directories, i);
    const std::uint64_t table = directory.table_offset.get();
    const std::uint64_t end = table + directory.table_length.get();
    directory.self_entry.set(moved(directory.self_entry.get()));
    directory.table_offset.set(moved(table));
    if (end != table) directory.table_length.set(moved(end) - moved(table));
  }
  for (std::uint64_t i = 0; i < section(Section::hash).size(); i += 8) {
    std::byte* slot = section(Section::hash).data() + i;
    const auto value_now = base::load_le<std::uint64_t>(slot);
    if (value_now == 0) continue;
    base::store_le(slot, pack::make_slot(pack::slot_tag(value_now), moved(pack::slot_entry(value_now))));
  }
}

void PackEditor::add_slot(std::uint64_t number, std::string_view name, std::uint64_t entry) {
  const std::uint64_t hash = pack::name_hash(footer_.hash_seed.get(), number, name);
  const std::uint64_t at = pack::home_slot(hash, footer_.hash_slots.get()) * 8;
  base::store_le(section(Section::hash).data() + at, pack::make_slot(hash, entry));
}

void PackEditor::drop_hash() {
  section(Section::hash).clear();
  footer_.hash_slots.set(0);
  footer_.max_probe.set(0);
}

PackEditor::Bytes PackEditor::seal(const std::function<void(pack::Footer&)>& edit) const {
  Bytes file = log_;
  seal_file_header(file);
  for (const Place& place : records_) {
    if (place.form == Form::run) seal_run(file, place);
    if (place.form == Form::packed) seal_packed(file, place);
    seal_head(file, place);
  }
  pack::Footer footer = footer_;
  footer.sections = {};
  footer.log_end.set(file.size());
  Bytes pages;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    append_section(file, static_cast<Section>(i + 1), sections_[i], footer);
    append_page_checksums(pages, sections_[i]);
  }
  Bytes roots;
  append_page_checksums(roots, pages);
  append_section(file, Section::page_checksums, pages, footer);
  append_section(file, Section::root_checksums, roots, footer);
  footer.root_checksum.set(base::xxh3(roots));
  footer.pack_id = pack_id_of(file, segment_of(file));
  footer.total_length.set(file.size() + sizeof footer);
  if (edit) edit(footer);
  const auto covered = std::as_bytes(std::span(&footer, 1)).first(offsetof(pack::Footer, checksum));
  footer.checksum.set(base::xxh3(covered));
  const auto bytes = std::as_bytes(std::span(&footer, 1));
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

}  // namespace packfs::testing
