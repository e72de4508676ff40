#include <catch2/catch.hpp>
#include <cstring>

#include "base/bytes.h"
#include "hostile/pack_editor.h"
#include "hostile/specimen.h"
#include "hostile/verdict.h"
#include "packfs/view.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Section;

namespace {

pack::DirectoryElement& directory_at(PackEditor& editor, std::uint64_t number) {
  return editor.element<pack::DirectoryElement>(Section::directories, number * sizeof(pack::DirectoryElement));
}

pack::EntryElement& entry_at(PackEditor& editor, std::uint64_t offset) {
  return editor.element<pack::EntryElement>(Section::entries, offset);
}

// The names a listing gives, and how it ends.
struct Listed {
  std::vector<std::string> names;
  std::optional<Error> error;
};
Listed list(const Pack& pack, const std::string& path) {
  Listed listed;
  for (const Result<Entry>& entry : pack.root().list(path)) {
    if (entry) {
      listed.names.emplace_back(entry->name());
    } else {
      listed.error = entry.error();
    }
  }
  return listed;
}

bool is_damaged(const Pack& pack) {
  const auto report = pack.verify();
  return report && report->damages != 0;
}

/// Makes the optional fields of z/last look like an entry of their own: a symlink of that name, four bytes long, and
/// size. Returns where it lies.
std::uint64_t hide_symlink(PackEditor& editor, std::string_view name, std::uint64_t size) {
  std::array<std::byte, 48> bytes{};
  auto& hidden = *reinterpret_cast<pack::EntryElement*>(bytes.data());
  hidden.name_length.set(static_cast<std::uint8_t>(name.size()));
  hidden.kind.set(pack::kFirstInTable | (1U << pack::kFormShift) | static_cast<std::uint8_t>(FileType::symlink));
  hidden.presence.set(pack::kHasSize);
  hidden.location.set(64);
  base::store_le(bytes.data() + sizeof hidden, size);
  std::memcpy(bytes.data() + sizeof hidden + 8, name.data(), name.size());

  const std::uint64_t entry = editor.entry("last");
  const std::span<const std::byte> fields(bytes);
  entry_at(editor, entry).mtime_seconds.set(0);
  editor.set_presence(entry, pack::kHasMtime, fields.subspan(0, 8));
  editor.set_presence(entry, pack::kHasInode, fields.subspan(8, 8));
  editor.set_presence(entry, pack::kHasStoredLength, fields.subspan(16, 8));
  editor.set_presence(entry, pack::kHasLinkId, fields.subspan(24, 8));
  editor.set_presence(entry, pack::kHasCtime, fields.subspan(32, 16));
  return editor.extra(entry, pack::kHasMtime);
}

}  // namespace

TEST_CASE("a table that begins inside an entry is refused, whatever name seems to stand there", "[hostile][tables]") {
  PackEditor editor(specimen());
  const std::uint64_t inside = hide_symlink(editor, "../1", 4);
  auto& z = directory_at(editor, editor.directory("z"));
  z.table_offset.set(inside);
  z.table_length.set(44);
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const Listed listed = list(open->pack, "z");
  CHECK(listed.names == std::vector<std::string>{});
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(is_damaged(open->pack));
}

TEST_CASE("a slot that points inside an entry gives nothing that was not checked", "[hostile][tables]") {
  PackEditor editor(specimen());
  const std::uint64_t size = GENERATE(as<std::uint64_t>(), 1ULL << 62, 1ULL << 40, (1U << 20) + 1);
  editor.add_slot(editor.directory("z"), "hid1", hide_symlink(editor, "hid1", size));
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  CHECK(open->pack.root().readlink("z/hid1").error().code() == ErrorCode::no_entry);
  CHECK(open->pack.root().stat("z/hid1").error().code() == ErrorCode::no_entry);
  CHECK(is_damaged(open->pack));
}

TEST_CASE("a slot too many is damage, though what it points at is sound", "[hostile][tables]") {
  PackEditor editor(specimen());
  editor.add_slot(editor.directory("z"), "hid1", hide_symlink(editor, "hid1", 4));
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  CHECK(is_damaged(open->pack));
}

TEST_CASE("directories that share one table give no more entries than there are", "[hostile][tables]") {
  const bool hashed = GENERATE(true, false);
  PackEditor editor(wide_specimen());
  if (!hashed) editor.drop_hash();
  // Every other directory of /dirs gets the one large table; those between stand at its start, so that each is behind
  // the one before.
  const auto many = directory_at(editor, editor.directory("many"));
  std::uint64_t below_dirs = 0;
  for (std::uint64_t number = 2; number < editor.directory("many"); ++number) {
    auto& each = directory_at(editor, number);
    each.table_offset.set(many.table_offset.get());
    const bool shares = number % 2 == 1;
    each.table_length.set(shares ? many.table_length.get() : 0);
    each.entry_count.set(shares ? many.entry_count.get() : 0);
    each.total_entries.set(shares ? many.entry_count.get() : 0);
    below_dirs += 1 + each.total_entries.get();
  }
  // What their parents say of it: the truth, the sum that would be needed, or as much as can be.
  const int claim = GENERATE(0, 1, 2);
  if (claim != 0) {
    const std::uint64_t claimed = claim == 1 ? below_dirs : editor.footer().entry_count.get() - 2;
    directory_at(editor, editor.directory("dirs")).total_entries.set(claimed);
    directory_at(editor, 0).total_entries.set(claimed + 2 + many.entry_count.get());
  }
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const PackFacts facts = facts_of(open->pack, bytes.size(), {});
  CHECK(facts.offences == std::vector<std::string>{});
  CHECK(facts.entries <= editor.footer().entry_count.get());
  const auto report = open->pack.verify();
  REQUIRE(report);
  CHECK(report->damages != 0);
  CHECK(report->entries_checked <= editor.footer().entry_count.get());
}

TEST_CASE("a directory is entered from where it belongs only", "[hostile][tables]") {
  const ReadMode mode = GENERATE(ReadMode::mmap, ReadMode::pread);
  PackEditor editor(specimen());
  const std::uint64_t d = editor.directory("d");
  const std::uint64_t deep = editor.directory("deep");
  const std::uint64_t none = editor.directory("none");
  SECTION("its ancestor") { entry_at(editor, editor.entry("deep")).location.set(0); }
  SECTION("its parent") { entry_at(editor, editor.entry("deep")).location.set(d); }
  SECTION("the same as another entry") { entry_at(editor, editor.entry("none")).location.set(deep); }
  SECTION("another parent") { directory_at(editor, none).parent.set(0); }
  SECTION("another entry") { directory_at(editor, none).self_entry.set(editor.entry("second")); }
  SECTION("a number that is not there") { entry_at(editor, editor.entry("none")).location.set(5); }
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, mode);
  REQUIRE(open);
  const Listed listed = list(open->pack, "d");
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(is_damaged(open->pack));
}

TEST_CASE("what cannot be in a pack that stands alone is refused", "[hostile][tables]") {
  PackEditor editor(specimen());
  SECTION("a delta") { directory_at(editor, editor.directory("z")).delta_depth.set(1); }
  SECTION("a base table in this file") { directory_at(editor, editor.directory("z")).delta_directory.set(1); }
  SECTION("a whiteout") { entry_at(editor, editor.entry("last")).kind.set(pack::kFirstInTable | pack::kWhiteout); }
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  const Listed listed = list(open->pack, "z");
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
}

TEST_CASE("content in another file is refused", "[hostile][tables]") {
  PackEditor editor(specimen());
  editor.set_presence(editor.entry("last"), pack::kHasSlot, std::array<std::byte, 8>{});
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, ReadMode::mmap);
  REQUIRE(open);
  std::array<std::byte, 10> buffer{};
  CHECK(open->pack.root().read("z/last", buffer).error().code() == ErrorCode::corrupt);
  CHECK(is_damaged(open->pack));
}
