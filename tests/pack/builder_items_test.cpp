#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pack/builder_model.h"
#include "pack/entry.h"
#include "pack/interned.h"
#include "pack/item.h"
#include "pack/item_table.h"
#include "support/seed.h"

using namespace packfs;
using namespace packfs::testing;
using pack::Item;
using pack::ItemRef;
using pack::ItemTable;

namespace {

Item item(std::uint64_t directory, std::string_view name, FileType type = FileType::regular,
          std::uint64_t location = 0) {
  Item made;
  made.directory = directory;
  made.name = name;
  made.type = type;
  made.location = location;
  return made;
}

}  // namespace

TEST_CASE("an entry's encoding gives back every field, whatever its width", "[pack][items]") {
  constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t value : {std::uint64_t{0}, kMax32, kMax32 + 1, std::uint64_t{1} << 62}) {
    for (const auto form : {content::Form::none, content::Form::run, content::Form::chained}) {
      for (const std::size_t name : {std::size_t{0}, std::size_t{1}, std::size_t{255}}) {
        const std::string text(name, 'n');
        Item in = item(0, text);
        in.form = form;
        in.first_in_table = value == kMax32;
        in.attribute_set = 7;
        in.inode = value;
        in.mtime = {static_cast<std::int64_t>(value) - 1, 999999999};
        in.size = value;
        in.stored_length = form == content::Form::run ? value + 1 : 3;
        in.location = value + 9;
        in.link_id = value;
        if (value != 0) in.xattrs = value - 1;
        std::vector<std::byte> bytes(pack::kMaxItemBytes, std::byte{0xEE});
        const std::size_t length = pack::item_bytes(in);
        REQUIRE(length <= bytes.size());
        CHECK(length % 4 == 0);
        pack::encode_item(in, bytes.data());
        CHECK(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(length), bytes.end(),
                          [](std::byte byte) { return byte == std::byte{0xEE}; }));
        CHECK(pack::EntryRef::at(bytes.data(), length)->bytes() == length);
        const Item out = pack::decode_item(bytes.data());
        CHECK(out.name == in.name);
        CHECK(out.form == in.form);
        CHECK(out.first_in_table == in.first_in_table);
        CHECK(out.attribute_set == 7);
        CHECK(out.inode == in.inode);
        CHECK(out.mtime == in.mtime);
        CHECK(out.size == in.size);
        CHECK(out.stored_length == (form == content::Form::none ? 0 : in.stored_length));
        CHECK(out.location == in.location);
        CHECK(out.link_id == in.link_id);
        CHECK(out.xattrs == in.xattrs);
      }
    }
  }
}

TEST_CASE("a table of entries knows its names in whatever order they came, as a set does", "[pack][items]") {
  static const std::uint64_t seed = test_seed();
  const int order = GENERATE(0, 1, 2, 3);
  Random random(seed);
  ItemTable table(random());
  table.add_root(item(0, "", FileType::directory));
  std::vector<std::set<std::string>> known(1);
  std::vector<std::string> names;
  names.reserve(3000);
  for (int i = 0; i < 3000; ++i) names.push_back("n" + std::to_string(random() % 2000));
  if (order == 1) std::ranges::sort(names);
  if (order == 2) std::ranges::sort(names, std::greater{});
  if (order == 3) {  // two ascending rows
    std::sort(names.begin(), names.begin() + 1500);
    std::sort(names.begin() + 1500, names.end());
  }
  for (const std::string& name : names) {
    const std::uint64_t directory =
        order == 0 ? random() % known.size() : known.size() - 1 - random() % 2 % known.size();
    const bool is_known = known[directory].contains(name);
    REQUIRE(table.contains(directory, name) == is_known);
    if (is_known) continue;
    known[directory].insert(name);
    const bool is_directory = random() % 50 == 0;
    const auto type = is_directory ? FileType::directory : FileType::regular;
    table.add(item(directory, name, type, is_directory ? known.size() : 0));
    if (is_directory) known.emplace_back();
  }
  CHECK(table.find(0, "other") == std::nullopt);
  for (std::uint64_t number = 1; number < known.size(); ++number) {
    const Item self = table.get(table.directories()[number].self);
    CHECK(table.find_directory(self.directory, self.name) == number);
    CHECK(table.find_directory(self.directory, std::string(self.name) + "x") == std::nullopt);
  }
  const auto sorted = table.take_sorted();
  auto at = sorted.begin();
  for (std::uint64_t directory = 0; directory < known.size(); ++directory) {
    for (const std::string& name : known[directory]) {
      REQUIRE(at != sorted.end());
      CHECK(table.arena().name(*at) == name);
      CHECK(table.arena().directory(*at) == directory);
      ++at;
    }
  }
  CHECK(at == sorted.end());
}

TEST_CASE("a group's first name shows its link id as soon as there is a second", "[pack][items]") {
  ItemTable table(1);
  table.add_root(item(0, "", FileType::directory));
  const ItemRef a = table.add(item(0, "a"));
  const ItemRef b = table.add(item(0, "b"));
  CHECK(table.get(a).link_id == 0);
  CHECK(table.link_id_for(b) == 1);
  table.add_link(0, "b2", b);
  CHECK(table.link_id_for(a) == 2);
  table.add_link(0, "a2", a);
  table.add_link(0, "b3", b);
  CHECK(table.get(b).link_id == 1);
  CHECK(table.get(a).link_id == 2);
  CHECK(table.get(*table.find(0, "b3")).link_id == 1);
  CHECK(table.directories()[0].linked == 5);
  REQUIRE(table.groups().size() == 2);
  CHECK(table.groups()[0].names == 3);
  CHECK(table.groups()[1].names == 2);
}

TEST_CASE("what is interned is kept once and numbered by first use", "[pack][items]") {
  pack::Interned interned;
  CHECK(interned.attribute_set(0644, 1, 2) == 0);
  CHECK(interned.attribute_set(0644, 2, 1) == 1);
  CHECK(interned.attribute_set(0644, 1, 2) == 0);
  CHECK(interned.attribute_set(0645, 1, 2) == 2);
  const Bytes value(3, std::byte{5});
  CHECK(interned.xattr_list(std::vector<log::XattrRef>{{"a", value}}) == 0);
  CHECK(interned.xattr_list(std::vector<log::XattrRef>{{"a", {}}}) == 1);
  CHECK(interned.xattr_list(std::vector<log::XattrRef>{{"a", value}}) == 0);
  CHECK(interned.xattr_lists()[0].size() == 24);  // 8 + 2 + 4 + 1 + 3, up to a multiple of 8
  pack::Renumbering numbers(3);
  numbers.use(2);
  numbers.use(0);
  numbers.use(2);
  CHECK(numbers.number(2) == 0);
  CHECK(numbers.number(0) == 1);
  CHECK(numbers.order() == std::vector<std::uint32_t>{2, 0});
}
