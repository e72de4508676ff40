#include <algorithm>
#include <catch2/catch.hpp>

#include "hostile/pack_editor.h"
#include "hostile/specimen.h"
#include "hostile/verdict.h"
#include "packfs/view.h"
#include "support/packs.h"
#include "support/temp_dir.h"

using namespace packfs;
using namespace packfs::testing;
using log::RecordType;
using pack::Section;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

void give_name(PackEditor& editor, std::string_view from, std::string_view to) {
  const std::uint64_t entry = editor.entry(from);
  std::ranges::copy(to, editor.name_of(entry).begin());
  std::ranges::copy(to, editor.name_of(editor.record(RecordType::put, from)).begin());
  // What is behind a shorter name must be zero.
  const auto rest = editor.name_of(entry).subspan(to.size());
  std::ranges::fill(rest, '\0');
  editor.element<pack::EntryElement>(Section::entries, entry).name_length.set(static_cast<std::uint8_t>(to.size()));
}

// How many names a listing gives before it ends with an error, if it does.
struct NamesCounted {
  std::size_t names = 0;
  std::optional<Error> error;
};
NamesCounted count(const Pack& pack, const std::string& path, std::string_view from = {}) {
  NamesCounted listed;
  for (const Result<Entry>& entry : pack.root().list(path, from)) {
    if (entry) {
      ++listed.names;
    } else {
      listed.error = entry.error();
    }
  }
  return listed;
}

std::string many(int number) { return "one-of-many-" + std::to_string(10'000 + number); }

// The first names of the pages that /many's table goes on in.
std::vector<std::string> first_names_of_pages(PackEditor& editor) {
  std::vector<std::string> names;
  for (const std::uint64_t at : editor.entries()) {
    const auto name = editor.name_of(at);
    const std::string_view text(name.data(), name.size());
    if (at % pack::kPageBytes == 0 && text.starts_with("one-of-many-")) names.emplace_back(text);
  }
  return names;
}

}  // namespace

TEST_CASE("a name that cannot be one is refused before it is shown", "[hostile][names]") {
  const std::string to =
      GENERATE(as<std::string>(), "", ".", "..", "a/b", "/ld", "ol/", "../", "/"s, "o\0d"s, "\0ld"s, "ol\0"s, "\0"s);
  PackEditor editor(specimen());
  editor.drop_hash();
  give_name(editor, "old", to);
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const NamesCounted listed = count(open->pack, "");
  CHECK(listed.names == 0);
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(listed.error->offset().has_value());
  CHECK(open->pack.root().stat("run").error().code() == ErrorCode::corrupt);
  CHECK(open->pack.verify()->damages != 0);
}

TEST_CASE("names twice or out of order in a page are refused", "[hostile][names]") {
  const std::string to = GENERATE(as<std::string>(), many(3), many(2), many(0), "a");
  PackEditor editor(wide_specimen());
  give_name(editor, many(4), to);
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const NamesCounted listed = count(open->pack, "many");
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(open->pack.verify()->damages != 0);
}

TEST_CASE("names twice or out of order across pages are refused", "[hostile][names]") {
  PackEditor editor(wide_specimen());
  const std::string first = first_names_of_pages(editor).at(1);
  const int number = std::stoi(first.substr(first.size() - 5)) - 10'000;
  const std::string to = GENERATE_COPY(as<std::string>(), many(number - 1), many(number - 2), many(0), "a");
  give_name(editor, first, to);
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const NamesCounted listed = count(open->pack, "many");
  CHECK(listed.names == static_cast<std::size_t>(number));
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(open->pack.verify()->damages != 0);
}

TEST_CASE("an entry that is not the first but marked so, or the other way round, is refused", "[hostile][names]") {
  PackEditor editor(wide_specimen());
  const int number = GENERATE(0, 700);
  auto& entry = editor.element<pack::EntryElement>(Section::entries, editor.entry(many(number)));
  entry.kind.set(entry.kind.get() ^ pack::kFirstInTable);
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const NamesCounted listed = count(open->pack, "many");
  CHECK(listed.names <= static_cast<std::size_t>(number));
  REQUIRE(listed.error);
  CHECK(listed.error->code() == ErrorCode::corrupt);
  CHECK(open->pack.verify()->damages != 0);
}

TEST_CASE("a listing from a name begins there, on whatever page", "[hostile][names]") {
  PackEditor editor(wide_specimen());
  if (GENERATE(true, false)) editor.drop_hash();
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  for (const int number : {0, 1, 2, 299, 300, 700, 1498, 1499}) {
    const NamesCounted exact = count(open->pack, "many", many(number));
    CHECK_FALSE(exact.error);
    CHECK(exact.names == static_cast<std::size_t>(1500 - number));
    CHECK(count(open->pack, "many", many(number) + "x").names == static_cast<std::size_t>(1499 - number));
  }
  for (const std::string& first : first_names_of_pages(editor)) CHECK_FALSE(count(open->pack, "many", first).error);
}

TEST_CASE("bytes behind the last entry of a page that are not zero are refused", "[hostile][names]") {
  PackEditor editor(wide_specimen());
  auto& entries = editor.section(Section::entries);
  // A page that has filling; the one before it holds the last entry.
  const auto offsets = editor.entries();
  const auto first = std::ranges::find_if(offsets, [&](std::uint64_t at) {
    return at != 0 && at % pack::kPageBytes == 0 && entries[at - 1] == std::byte{0};
  });
  REQUIRE(first != offsets.end());
  const std::uint64_t last = *(first - 1);
  const auto name = editor.name_of(last);
  const std::uint64_t end = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(name.data()) - entries.data()) +
                            name.size();  // padding of the entry begins
  const std::uint64_t at = GENERATE_COPY(as<std::uint64_t>(), end, *first - 1);
  entries[at] = std::byte{1};
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const auto report = open->pack.verify();
  REQUIRE(report);
  CHECK(report->damages != 0);
  CHECK_FALSE(facts_of(open->pack, bytes.size(), {}).errors.empty());
}

TEST_CASE("a name that a table does not have is not found, with a hash or without", "[hostile][names]") {
  PackEditor editor(wide_specimen());
  if (GENERATE(true, false)) editor.drop_hash();
  const auto bytes = editor.seal();
  const auto open = open_bytes(bytes, GENERATE(ReadMode::mmap, ReadMode::pread));
  REQUIRE(open);
  const View root = open->pack.root();
  for (const int number : {0, 1, 299, 700, 1499}) {
    REQUIRE(root.stat("many/" + many(number)));
    CHECK(root.stat("many/" + many(number) + "x").error().code() == ErrorCode::no_entry);
    CHECK(root.stat("dirs/" + many(number)).error().code() == ErrorCode::no_entry);
    CHECK(root.stat(many(number)).error().code() == ErrorCode::no_entry);
  }
  CHECK(root.stat("many/a").error().code() == ErrorCode::no_entry);
  CHECK(root.stat("many/zzz").error().code() == ErrorCode::no_entry);
  CHECK(root.stat("dirs/directory-10007/file"));
  CHECK(open->pack.verify()->damages == 0);
}

TEST_CASE("the builder takes no name that the reader would refuse", "[hostile][names]") {
  const TempDir dir;
  auto builder = PackBuilder::create(dir.path("pack"));
  REQUIRE(builder);
  const Attributes attributes;
  REQUIRE(builder->add_file("taken", attributes, bytes_of("x")));
  REQUIRE(builder->add_directory("d", attributes));
  for (const std::string_view path : {""sv, "."sv, ".."sv, "a\0b"sv, "\0"sv, "../a"sv, "d/.."sv, "d/../a"sv, "taken"sv,
                                      "d"sv, "/taken"sv, "./taken"sv, "d/./"sv, "taken/a"sv, "none/a"sv}) {
    INFO(path);
    CHECK_FALSE(builder->add_file(path, attributes, bytes_of("y")));
    CHECK_FALSE(builder->add_symlink(path, attributes, "target"));
    CHECK_FALSE(builder->add_link(path, "taken"));
    CHECK_FALSE(builder->add_special(path, attributes, FileType::fifo));
  }
  CHECK_FALSE(builder->add_file(std::string(256, 'x'), attributes, bytes_of("y")));
  CHECK(builder->add_file(std::string(255, 'x'), attributes, bytes_of("y")));
  CHECK(builder->add_file("...", attributes, bytes_of("y")));
  REQUIRE(builder->finish());
  const Pack pack = open_pack(dir.path("pack"));
  CHECK(count(pack, "").names == 4);
  CHECK(pack.verify()->damages == 0);
}
