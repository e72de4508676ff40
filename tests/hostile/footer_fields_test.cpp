#include <catch2/catch.hpp>
#include <cstring>

#include "base/bytes.h"
#include "hostile/sample.h"
#include "hostile/specimen.h"
#include "hostile/sweep.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

#define FIELD(member) \
  Field { #member, offsetof(pack::Footer, member), sizeof(pack::Footer::member) }

constexpr Field kFields[] = {
    FIELD(version),     FIELD(footer_length),     FIELD(total_length),      FIELD(log_end),
    FIELD(segment_id),  FIELD(record_count),      FIELD(directory_count),   FIELD(entry_count),
    FIELD(total_bytes), FIELD(total_linked),      FIELD(next_inode),        FIELD(next_link_id),
    FIELD(last_commit), FIELD(hash_seed),         FIELD(hash_slots),        FIELD(max_probe),
    FIELD(page_log2),   FIELD(dictionary_offset), FIELD(dictionary_length), FIELD(root_checksum)};

#undef FIELD

std::vector<std::byte> with_footer_bytes(const PackEditor& editor, std::uint64_t at, std::span<const std::byte> bytes) {
  return editor.seal([&](pack::Footer& footer) {
    std::memcpy(reinterpret_cast<std::byte*>(&footer) + at, bytes.data(), bytes.size());
  });
}

// Complaints about footers with that field, 8 bytes at most, set to each hostile value.
std::vector<std::string> sweep_field(const Judge& judge, const PackEditor& editor, const Field& field,
                                     const std::vector<std::uint64_t>& others) {
  std::vector<std::string> all;
  const std::vector<std::byte> sound = editor.seal();
  std::uint64_t current = 0;
  std::memcpy(&current, sound.data() + sound.size() - sizeof(pack::Footer) + field.offset, field.bytes);
  for (const std::uint64_t value : hostile_values(current, field.bytes, others)) {
    const std::string where =
        std::string(field.name) + " at " + std::to_string(field.offset) + " = " + std::to_string(value);
    if (!sampled(where)) continue;
    std::byte bytes[8];
    base::store_le(bytes, value);
    const auto changed = with_footer_bytes(editor, field.offset, std::span(bytes).first(field.bytes));
    for (const std::string& complaint : judge.complaints(changed)) {
      all.push_back(where + ": " + complaint);
    }
  }
  return all;
}

std::optional<ErrorCode> code_with(std::uint64_t at, std::initializer_list<std::uint64_t> values) {
  std::vector<std::byte> bytes;
  for (const std::uint64_t value : values) {
    bytes.resize(bytes.size() + 8);
    base::store_le(bytes.data() + bytes.size() - 8, value);
  }
  const auto open = open_bytes(with_footer_bytes(PackEditor(specimen()), at, bytes), ReadMode::mmap);
  return open ? std::nullopt : std::optional(open.error().code());
}

}  // namespace

TEST_CASE("every field of the footer is checked", "[hostile]") {
  const Judge judge(specimen());
  const PackEditor editor(specimen());
  for (const Field& field : kFields) {
    CHECK(sweep_field(judge, editor, field, {specimen().size(), specimen().size() - 512, 64, 14, 4096}) == kNone);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(sweep_field(judge, editor, {"pack_id", offsetof(pack::Footer, pack_id) + i, 1}, {}) == kNone);
  }
  for (std::size_t i = 0; i < 192; ++i) {
    const auto complaints = sweep_field(judge, editor, {"reserved", offsetof(pack::Footer, reserved) + i, 1}, {});
    if (!complaints.empty()) CHECK(complaints == kNone);
  }
}

TEST_CASE("every section's place is checked", "[hostile]") {
  const Judge judge(specimen());
  PackEditor editor(specimen());
  std::vector<std::uint64_t> others{specimen().size(), specimen().size() - 512, editor.log().size(), 16'384};
  for (const auto& range : editor.footer().sections) {
    others.push_back(range.offset.get());
    others.push_back(range.length.get());
    others.push_back(range.offset.get() + range.length.get());
  }
  for (std::size_t i = 0; i < pack::kSections; ++i) {
    const std::size_t at = offsetof(pack::Footer, sections) + i * sizeof(pack::SectionRange);
    CHECK(sweep_field(judge, editor, {"section offset", at, 8}, others) == kNone);
    CHECK(sweep_field(judge, editor, {"section length", at + 8, 8}, others) == kNone);
  }
}

TEST_CASE("two sections in each other's place are refused", "[hostile]") {
  const Judge judge(specimen());
  const PackEditor editor(specimen());
  for (std::size_t i = 0; i < pack::kSections; ++i) {
    for (std::size_t j = i + 1; j < pack::kSections; ++j) {
      const auto swapped =
          editor.seal([&](pack::Footer& footer) { std::swap(footer.sections[i], footer.sections[j]); });
      const auto same = editor.seal([&](pack::Footer& footer) { footer.sections[i] = footer.sections[j]; });
      CHECK(judge.complaints(swapped) == kNone);
      CHECK(judge.complaints(same) == kNone);
    }
  }
}

TEST_CASE("what this version does not read is an unsupported version", "[hostile]") {
  CHECK(code_with(offsetof(pack::Footer, version), {2 | (512ULL << 32)}) == ErrorCode::unsupported_version);
  CHECK(code_with(offsetof(pack::Footer, dictionary_offset), {64, 100}) == ErrorCode::unsupported_version);
  CHECK(code_with(offsetof(pack::Footer, dictionary_offset), {0, 1}) == ErrorCode::unsupported_version);
  PackEditor editor(specimen());
  editor.section(Section::dependencies).resize(sizeof(pack::DependencyElement));
  editor.element<pack::DependencyElement>(Section::dependencies, 0).kind.set(1);
  for (const ReadMode mode : {ReadMode::mmap, ReadMode::pread}) {
    const auto open = open_bytes(editor.seal(), mode);
    REQUIRE_FALSE(open);
    CHECK(open.error().code() == ErrorCode::unsupported_version);
    CHECK(open.error().offset().has_value());
  }
}
