#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "hostile/specimen.h"
#include "hostile/sweep.h"
#include "pack/name_hash.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

#define FIELD(structure, member) \
  Field { #member, offsetof(structure, member), sizeof(structure::member) }

constexpr Field kDirectoryFields[] = {
    FIELD(pack::DirectoryElement, parent),         FIELD(pack::DirectoryElement, self_entry),
    FIELD(pack::DirectoryElement, table_offset),   FIELD(pack::DirectoryElement, table_length),
    FIELD(pack::DirectoryElement, entry_count),    FIELD(pack::DirectoryElement, subdirectory_count),
    FIELD(pack::DirectoryElement, total_entries),  FIELD(pack::DirectoryElement, total_bytes),
    FIELD(pack::DirectoryElement, total_linked),   FIELD(pack::DirectoryElement, change_commit),
    FIELD(pack::DirectoryElement, delta_slot),     FIELD(pack::DirectoryElement, delta_depth),
    FIELD(pack::DirectoryElement, delta_directory)};
constexpr Field kEntryFields[] = {
    FIELD(pack::EntryElement, name_length),   FIELD(pack::EntryElement, kind),
    FIELD(pack::EntryElement, presence),      FIELD(pack::EntryElement, attribute_set),
    FIELD(pack::EntryElement, inode),         FIELD(pack::EntryElement, mtime_nanoseconds),
    FIELD(pack::EntryElement, mtime_seconds), FIELD(pack::EntryElement, size),
    FIELD(pack::EntryElement, location)};
constexpr Field kAttributeFields[] = {FIELD(pack::AttributeSet, mode), FIELD(pack::AttributeSet, uid),
                                      FIELD(pack::AttributeSet, gid), FIELD(pack::AttributeSet, reserved)};
constexpr Field kLinkFields[] = {FIELD(pack::LinkElement, link_id), FIELD(pack::LinkElement, inode),
                                 FIELD(pack::LinkElement, nlink)};
constexpr Field kXattrFields[] = {FIELD(pack::XattrHeader, length), FIELD(pack::XattrHeader, count)};

#undef FIELD

constexpr pack::Presence kPresences[] = {pack::kHasSize,         pack::kHasMtime,  pack::kHasInode,
                                         pack::kHasStoredLength, pack::kHasLinkId, pack::kHasChangeCommit,
                                         pack::kHasXattrs,       pack::kHasSlot};

// Numbers that mean something somewhere in the specimen: sections, entries, tables, contents.
std::vector<std::uint64_t> meaningful(PackEditor& editor) {
  std::vector<std::uint64_t> values = editor.entries();
  for (std::uint64_t at = 0; at < editor.section(Section::directories).size(); at += sizeof(pack::DirectoryElement)) {
    const auto& directory = editor.element<pack::DirectoryElement>(Section::directories, at);
    values.push_back(at / sizeof(pack::DirectoryElement));
    values.push_back(directory.table_length.get());
  }
  values.push_back(editor.section(Section::entries).size());
  values.push_back(editor.log().size());
  values.push_back(specimen().size());
  return values;
}

std::array<std::byte, 8> le(std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  base::store_le(bytes.data(), value);
  return bytes;
}

}  // namespace

TEST_CASE("every field of every directory is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  const auto others = meaningful(editor);
  for (std::uint64_t at = 0; at < editor.section(Section::directories).size(); at += sizeof(pack::DirectoryElement)) {
    sweep.fields("directory " + std::to_string(at / sizeof(pack::DirectoryElement)),
                 editor.section(Section::directories), at, kDirectoryFields, others);
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 3000);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every field of every entry is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  std::vector<std::uint64_t> others{1'000'000'000, 1U << 20, 0x100, 0x200, 0x1FF};
  for (const PackEditor::Place& place : editor.records()) others.push_back(place.content_begin);
  for (const std::uint64_t at : editor.entries()) {
    sweep.fields("entry at " + std::to_string(at), editor.section(Section::entries), at, kEntryFields, others);
    for (unsigned bit = 0; bit < 16; ++bit) {
      std::byte& byte = editor.section(Section::entries)[at + offsetof(pack::EntryElement, presence) + bit / 8];
      byte ^= static_cast<std::byte>(1U << (bit % 8));
      sweep.now("entry at " + std::to_string(at) + " presence bit " + std::to_string(bit));
      byte ^= static_cast<std::byte>(1U << (bit % 8));
    }
    for (unsigned kind = 0; kind < 256; ++kind) {
      std::byte& byte = editor.section(Section::entries)[at + offsetof(pack::EntryElement, kind)];
      const std::byte old = byte;
      if (std::to_integer<unsigned>(old) == kind) continue;
      byte = static_cast<std::byte>(kind);
      sweep.now("entry at " + std::to_string(at) + " kind " + std::to_string(kind));
      byte = old;
    }
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 5000);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every byte of every entry is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  for (std::uint64_t at = 0; at < editor.section(Section::entries).size(); ++at) {
    sweep.field("entries byte " + std::to_string(at), editor.section(Section::entries), at, 1, {'/', '.'});
  }
  CHECK(sweep.complaints() == kNone);
}

TEST_CASE("an optional field of an entry that should not be there, or has another value, is noticed", "[hostile]") {
  const Judge judge(specimen());
  const PackEditor sound(specimen());
  for (const pack::Presence field : kPresences) {
    for (const std::uint64_t at : sound.entries()) {
      PackEditor editor(specimen());
      editor.set_presence(at, field, le(1));
      Sweep sweep(judge, editor);
      // A long field that says what the short one, or none, would say is as good.
      sweep.noticed = Judge::Noticed::when_answers_change;
      const std::uint64_t value = editor.extra(at, field);
      const std::string where = "entry at " + std::to_string(at) + " field " + std::to_string(field);
      sweep.now(where + " = 1");
      sweep.field(where, editor.section(Section::entries), value, 8,
                  {8, 16, 24, 48, 600, specimen().size(), 1ULL << 32, 5ULL << 30});
      CHECK(sweep.complaints() == kNone);
    }
  }
}

TEST_CASE("a ctime that a built pack cannot have is noticed", "[hostile]") {
  const Judge judge(specimen());
  const PackEditor sound(specimen());
  for (const std::uint64_t at : sound.entries()) {
    PackEditor editor(specimen());
    std::array<std::byte, 16> ctime{};
    ctime[0] = std::byte{1};
    editor.set_presence(at, pack::kHasCtime, ctime);
    Sweep sweep(judge, editor);
    const std::string where = "entry at " + std::to_string(at) + " ctime";
    sweep.now(where);
    sweep.noticed = Judge::Noticed::when_answers_change;
    const std::uint64_t value = editor.extra(at, pack::kHasCtime);
    sweep.field(where + " seconds", editor.section(Section::entries), value, 8);
    sweep.field(where + " nanoseconds", editor.section(Section::entries), value + 8, 4, {1'000'000'000});
    sweep.field(where + " zero", editor.section(Section::entries), value + 12, 4);
    CHECK(sweep.complaints() == kNone);
  }
}

TEST_CASE("an optional field that is missing is noticed", "[hostile]") {
  const Judge judge(specimen());
  for (const pack::Presence field : kPresences) {
    for (const std::uint64_t at : PackEditor(specimen()).entries()) {
      PackEditor editor(specimen());
      if ((editor.element<pack::EntryElement>(Section::entries, at).presence.get() & field) == 0) continue;
      editor.clear_presence(at, field);
      Sweep sweep(judge, editor);
      sweep.now("entry at " + std::to_string(at) + " field " + std::to_string(field));
      CHECK(sweep.complaints() == kNone);
    }
  }
}

TEST_CASE("every slot of the hash is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  auto& hash = editor.section(Section::hash);
  std::vector<std::uint64_t> slots;
  for (std::uint64_t at = 0; at < hash.size(); at += 8) {
    const auto slot = base::load_le<std::uint64_t>(hash.data() + at);
    if (slot != 0) slots.push_back(slot);
  }
  for (std::uint64_t at = 0; at < hash.size(); at += 8) {
    auto others = slots;
    others.push_back((std::uint64_t{1} << 40) - 1);
    const auto slot = base::load_le<std::uint64_t>(hash.data() + at);
    others.push_back(slot ^ (std::uint64_t{1} << 40));
    others.push_back(slot | ((std::uint64_t{1} << 40) - 1));
    sweep.field("slot " + std::to_string(at / 8), hash, at, 8, others);
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 1000);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("every field of attribute sets, extended attributes and links is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  Sweep sweep(judge, editor);
  auto& sets = editor.section(Section::attribute_sets);
  for (std::uint64_t at = 0; at < sets.size(); at += sizeof(pack::AttributeSet)) {
    sweep.fields("attribute set " + std::to_string(at), sets, at, kAttributeFields, {010000, 0xFFFF'FFFF});
  }
  auto& xattrs = editor.section(Section::xattrs);
  sweep.fields("xattr list", xattrs, 0, kXattrFields, {xattrs.size()});
  for (std::uint64_t at = 0; at < xattrs.size(); ++at) sweep.field("xattrs " + std::to_string(at), xattrs, at, 1);
  auto& links = editor.section(Section::links);
  for (std::uint64_t at = 0; at < links.size(); at += sizeof(pack::LinkElement)) {
    sweep.fields("link " + std::to_string(at), links, at, kLinkFields, {3});
  }
  CHECK(sweep.complaints() == kNone);
  CHECK(sweep.cases() > 500);
  CHECK(sweep.tried() > 0);
}

TEST_CASE("sections that are cut short or too long are noticed", "[hostile]") {
  const Judge judge(specimen());
  for (unsigned which = 1; which <= 6; ++which) {
    const auto section = static_cast<Section>(which);
    const std::size_t size = PackEditor(specimen()).section(section).size();
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{8}, size / 2, size - 8, size - 4,
                                     size - 1, size + 1, size + 4, size + 8, size + 24, size + 96, size + 16'384}) {
      PackEditor editor(specimen());
      editor.section(section).resize(length);
      Sweep sweep(judge, editor);
      sweep.now("section " + std::to_string(which) + " of " + std::to_string(length) + " bytes");
      CHECK(sweep.complaints() == kNone);
    }
  }
}
