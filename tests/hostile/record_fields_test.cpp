#include <catch2/catch.hpp>

#include "hostile/specimen.h"
#include "hostile/sweep.h"

using namespace packfs;
using namespace packfs::testing;
using content::Form;
using log::RecordType;

namespace {

#define FIELD(structure, member) \
  Field { #member, offsetof(structure, member), sizeof(structure::member) }

constexpr Field kHeaderFields[] = {FIELD(log::FileHeader, version),      FIELD(log::FileHeader, flags),
                                   FIELD(log::FileHeader, segment_id),   FIELD(log::FileHeader, previous_segment),
                                   FIELD(log::FileHeader, previous_cut), FIELD(log::FileHeader, base_commit),
                                   FIELD(log::FileHeader, reserved)};
constexpr Field kRecordFields[] = {FIELD(log::RecordHeader, type), FIELD(log::RecordHeader, name_length),
                                   FIELD(log::RecordHeader, form_and_attributes_length),
                                   FIELD(log::RecordHeader, content_length), FIELD(log::RecordHeader, commit)};
constexpr Field kExtentFields[] = {FIELD(content::ExtentMapElement, raw_offset),
                                   FIELD(content::ExtentMapElement, form_and_raw_length),
                                   FIELD(content::ExtentMapElement, content_offset)};
constexpr Field kPackedHeaderFields[] = {FIELD(content::PackedHeader, block_log2),
                                         FIELD(content::PackedHeader, reserved)};

#undef FIELD

}  // namespace

TEST_CASE("every field of the file header refuses what it must not be", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  sweep.fields("file header", editor.log(), 0, kHeaderFields, {specimen().size()});
  for (std::uint64_t at = 0; at < 8; ++at) sweep.field("magic " + std::to_string(at), editor.log(), at, 1);
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 60);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every field of every record header is checked, and against the index", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  for (const PackEditor::Place& place : editor.records()) {
    const std::string where = "record at " + std::to_string(place.offset);
    const std::uint64_t left = editor.log().size() - place.offset;
    sweep.fields(where, editor.log(), place.offset, kRecordFields, {left, place.head_bytes, specimen().size()});
    // Another form with the same lengths.
    const std::uint64_t form = place.offset + offsetof(log::RecordHeader, form_and_attributes_length) + 3;
    for (unsigned value = 0; value < 16; ++value) {
      const std::byte old = editor.log()[form];
      if (std::to_integer<unsigned>(old >> 4) == value) continue;
      editor.log()[form] = (old & std::byte{0x0F}) | static_cast<std::byte>(value << 4);
      sweep.now(where + " form " + std::to_string(value));
      editor.log()[form] = old;
    }
    for (unsigned type = 0; type < 20; ++type) {
      std::byte& at = editor.log()[place.offset + offsetof(log::RecordHeader, type)];
      const std::byte old = at;
      if (std::to_integer<unsigned>(old) == type) continue;
      at = static_cast<std::byte>(type);
      sweep.now(where + " type " + std::to_string(type));
      at = old;
    }
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 2000);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every byte of every record's name and attributes is checked against the index", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  for (const PackEditor::Place& place : editor.records()) {
    for (std::uint64_t at = place.offset + sizeof(log::RecordHeader); at < place.offset + place.head_bytes; ++at) {
      sweep.field("record at " + std::to_string(place.offset) + " byte " + std::to_string(at - place.offset),
                  editor.log(), at, 1, {'/', '.'});
    }
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 5000);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every field of an extent map is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  for (const PackEditor::Place& place : editor.records()) {
    if (place.type != RecordType::extent_map) continue;
    const std::uint64_t first = place.content_begin;
    for (std::uint64_t at = first; at < place.content_end; at += sizeof(content::ExtentMapElement)) {
      const auto& neighbour = *reinterpret_cast<const content::ExtentMapElement*>(editor.log().data() + first);
      sweep.fields("extent map at " + std::to_string(at), editor.log(), at, kExtentFields,
                   {neighbour.raw_offset.get(), neighbour.content_offset.get(), editor.log().size(), 4096, 4'194'304,
                    1ULL << 60, 2ULL << 60, 3ULL << 60, (1ULL << 60) | 4'194'304, (2ULL << 60) | 4'194'305});
    }
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 200);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every field of packed content is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  for (const PackEditor::Place& place : editor.records()) {
    if (place.form != Form::packed) continue;
    const std::string where = "packed content at " + std::to_string(place.content_begin);
    // Sealed again, a single block may say that it could be longer.
    sweep.noticed = Judge::Noticed::when_answers_change;
    sweep.fields(where, editor.log(), place.content_begin, kPackedHeaderFields, {12, 14, 16, 18});
    sweep.noticed = Judge::Noticed::always;
    const std::uint64_t element = place.content_begin + sizeof(content::PackedHeader);
    const auto word = reinterpret_cast<const content::PackedBlock*>(editor.log().data() + element);
    const std::uint64_t length = word->codec_and_length.get() & 0xFFF'FFFF;
    std::vector<std::uint64_t> words;
    for (std::uint64_t codec = 0; codec < 16; ++codec) {
      for (const std::uint64_t each : {length, std::uint64_t{0}, place.raw_bytes, std::uint64_t{0xFFF'FFFF}}) {
        words.push_back((codec << 28) | each);
      }
    }
    sweep.field(where + " codec and length", editor.log(), element, 4, words);
    // A byte of the frame itself, the checksum made good: it decodes to something else, or not at all.
    sweep.noticed = Judge::Noticed::never;
    for (std::uint64_t at = element + sizeof(content::PackedBlock); at < place.content_end; ++at) {
      sweep.field(where + " byte " + std::to_string(at), editor.log(), at, 1);
    }
    sweep.noticed = Judge::Noticed::always;
  }
  CHECK(sweep.complaints() == kNone);
}
