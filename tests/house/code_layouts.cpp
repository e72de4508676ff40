#include <array>
#include <cstddef>

#include "content/format.h"
#include "house/layout.h"
#include "log/format.h"
#include "pack/format.h"
#include "store/format.h"

namespace packfs::house {

namespace {

template <class T>
constexpr std::string_view kTypeName = "bytes";
template <>
constexpr std::string_view kTypeName<base::Le8> = "u8";
template <>
constexpr std::string_view kTypeName<base::Le16> = "u16";
template <>
constexpr std::string_view kTypeName<base::Le24> = "u24";
template <>
constexpr std::string_view kTypeName<base::Le32> = "u32";
template <>
constexpr std::string_view kTypeName<base::Le64> = "u64";
template <std::size_t N>
constexpr std::string_view kTypeName<std::array<pack::SectionRange, N>> = "9 × (u64 offset, u64 length)";

// offsetof() wants the field's name as a token, so only a macro can spell it once.
#define FIELD(structure, field)                                                                                      \
  Field {                                                                                                            \
    offsetof(structure, field), sizeof(structure::field), #field, std::string(kTypeName<decltype(structure::field)>) \
  }

Layout file_header() {
  using S = log::FileHeader;
  return {
      .size = sizeof(S),
      .fields = {FIELD(S, magic), FIELD(S, version), FIELD(S, flags), FIELD(S, segment_id), FIELD(S, previous_segment),
                 FIELD(S, previous_cut), FIELD(S, base_commit), FIELD(S, reserved), FIELD(S, checksum)}};
}

Layout record_header() {
  using S = log::RecordHeader;
  return {.size = sizeof(S),
          .fields = {FIELD(S, checksum), FIELD(S, type), FIELD(S, name_length), FIELD(S, form_and_attributes_length),
                     FIELD(S, content_length), FIELD(S, commit)}};
}

Layout extent_map_element() {
  using S = content::ExtentMapElement;
  return {.size = sizeof(S), .fields = {FIELD(S, raw_offset), FIELD(S, form_and_raw_length), FIELD(S, content_offset)}};
}

Layout packed_header() {
  using S = content::PackedHeader;
  // The page calls three reserved bytes bytes; the code has a 24-bit integer for them.
  Field reserved = FIELD(S, reserved);
  reserved.type = "bytes";
  return {.size = sizeof(S), .fields = {FIELD(S, block_log2), reserved}};
}

Layout packed_block() {
  using S = content::PackedBlock;
  return {.size = sizeof(S), .fields = {FIELD(S, codec_and_length), FIELD(S, checksum)}};
}

Layout directory_element() {
  using S = pack::DirectoryElement;
  return {.size = sizeof(S),
          .fields = {FIELD(S, parent), FIELD(S, self_entry), FIELD(S, table_offset), FIELD(S, table_length),
                     FIELD(S, entry_count), FIELD(S, subdirectory_count), FIELD(S, total_entries),
                     FIELD(S, total_bytes), FIELD(S, total_linked), FIELD(S, change_commit), FIELD(S, delta_slot),
                     FIELD(S, delta_depth), FIELD(S, delta_directory)}};
}

Layout entry_element() {
  using S = pack::EntryElement;
  return {
      .size = sizeof(S),
      .fields = {FIELD(S, name_length), FIELD(S, kind), FIELD(S, presence), FIELD(S, attribute_set), FIELD(S, inode),
                 FIELD(S, mtime_nanoseconds), FIELD(S, mtime_seconds), FIELD(S, size), FIELD(S, location)}};
}

Layout attribute_set() {
  using S = pack::AttributeSet;
  return {.size = sizeof(S), .fields = {FIELD(S, mode), FIELD(S, uid), FIELD(S, gid), FIELD(S, reserved)}};
}

Layout xattr_header() {
  using S = pack::XattrHeader;
  return {.size = sizeof(S), .fields = {FIELD(S, length), FIELD(S, count)}};
}

Layout link_element() {
  using S = pack::LinkElement;
  return {.size = sizeof(S), .fields = {FIELD(S, link_id), FIELD(S, inode), FIELD(S, nlink)}};
}

Layout dependency_element() {
  using S = pack::DependencyElement;
  return {.size = sizeof(S), .fields = {FIELD(S, kind), FIELD(S, reserved), FIELD(S, id), FIELD(S, end)}};
}

Layout footer() {
  using S = pack::Footer;
  return {.size = sizeof(S),
          .fields = {FIELD(S, magic),         FIELD(S, version),           FIELD(S, footer_length),
                     FIELD(S, pack_id),       FIELD(S, total_length),      FIELD(S, log_end),
                     FIELD(S, segment_id),    FIELD(S, record_count),      FIELD(S, directory_count),
                     FIELD(S, entry_count),   FIELD(S, total_bytes),       FIELD(S, total_linked),
                     FIELD(S, next_inode),    FIELD(S, next_link_id),      FIELD(S, last_commit),
                     FIELD(S, hash_seed),     FIELD(S, hash_slots),        FIELD(S, max_probe),
                     FIELD(S, page_log2),     FIELD(S, dictionary_offset), FIELD(S, dictionary_length),
                     FIELD(S, root_checksum), FIELD(S, sections),          FIELD(S, reserved),
                     FIELD(S, checksum)}};
}

Layout manifest_header() {
  using S = store::ManifestHeader;
  return {.size = sizeof(S),
          .fields = {FIELD(S, magic), FIELD(S, version), FIELD(S, segment_count), FIELD(S, store_id),
                     FIELD(S, generation), FIELD(S, created_seconds), FIELD(S, created_nanoseconds), FIELD(S, uid),
                     FIELD(S, gid), FIELD(S, reserved), FIELD(S, checksum)}};
}

Layout segment_element() {
  using S = store::SegmentElement;
  return {.size = sizeof(S),
          .fields = {FIELD(S, segment_id), FIELD(S, end), FIELD(S, base_commit), FIELD(S, reserved)}};
}

#undef FIELD

}  // namespace

Layouts layouts_of_code() {
  return {{"FileHeader", file_header()},
          {"RecordHeader", record_header()},
          {"ExtentMapElement", extent_map_element()},
          {"PackedHeader", packed_header()},
          {"PackedBlock", packed_block()},
          {"DirectoryElement", directory_element()},
          {"EntryElement", entry_element()},
          {"AttributeSet", attribute_set()},
          {"XattrHeader", xattr_header()},
          {"LinkElement", link_element()},
          {"DependencyElement", dependency_element()},
          {"Footer", footer()},
          {"ManifestHeader", manifest_header()},
          {"SegmentElement", segment_element()}};
}

}  // namespace packfs::house
