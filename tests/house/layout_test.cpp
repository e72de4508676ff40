#include "house/layout.h"

#include <catch2/catch.hpp>

namespace packfs::house {
namespace {

Checkout real_checkout() { return read_checkout(PACKFS_SOURCE_DIR); }

Layouts real_page() { return layouts_of_page(real_checkout().at("docs/format.md")); }

TEST_CASE("every layout table of the format's page agrees with the code, field by field", "[house][layout]") {
  const Layouts page = real_page();
  CHECK(page.size() == 14);
  CHECK(layout_problems(page, layouts_of_code()) == Problems{});
}

TEST_CASE("every structure of the format headers has a layout table", "[house][layout]") {
  const Layouts page = real_page();
  const auto structures = structures_of_headers(real_checkout());
  CHECK(structures.size() == 13);
  for (const std::string& name : structures) {
    // The footer's table spells a range out: offset and length.
    if (name != "SectionRange") CHECK(page.contains(name));
  }
}

TEST_CASE("a page that differs in one field is found out", "[house][layout]") {
  using Change = void (*)(std::vector<Field>&, std::size_t);
  const auto change = GENERATE(values<Change>({
      [](std::vector<Field>& fields, std::size_t i) { fields[i].offset += 1; },
      [](std::vector<Field>& fields, std::size_t i) { fields[i].size += 1; },
      [](std::vector<Field>& fields, std::size_t i) { fields[i].name += "s"; },
      [](std::vector<Field>& fields, std::size_t i) { fields[i].type = "u128"; },
      [](std::vector<Field>& fields, std::size_t i) { fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i)); },
      [](std::vector<Field>& fields, std::size_t i) { fields.push_back(fields[i]); },
  }));
  const Layouts code = layouts_of_code();
  for (const auto& [name, layout] : code) {
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      Layouts page = code;
      change(page[name].fields, i);
      INFO(name << "." << layout.fields[i].name);
      CHECK_FALSE(layout_problems(page, code).empty());
    }
  }
}

TEST_CASE("a structure on one side only is found out", "[house][layout]") {
  const Layouts code = layouts_of_code();
  Layouts one_less = code;
  one_less.erase("Footer");
  CHECK(layout_problems(code, one_less) == Problems{"Footer: is not in the code"});
  CHECK(layout_problems(one_less, code) == Problems{"Footer: is not on the page"});
}

TEST_CASE("a structure with a hole between its fields is found out", "[house][layout]") {
  const Layouts holed{{"S", {.size = 12, .fields = {{0, 4, "a", "u32"}, {8, 4, "b", "u32"}}}}};
  CHECK(layout_problems(holed, holed) == Problems{"S: a gap or an overlap before b"});
}

TEST_CASE("layout tables are read as written", "[house][layout]") {
  const Layouts page = layouts_of_page(
      "text\n<!-- layout: Two 6 -->\n| offset | size | field | type | rule |\n|---|---|---|---|---|\n"
      "| 0 | 4 | a | u32 | rule |\n| 4 | 2 | b | u16 | |\n\n| 0 | 9 | not | bytes | in it |\n");
  const Layouts expected{{"Two", {.size = 6, .fields = {{0, 4, "a", "u32"}, {4, 2, "b", "u16"}}}}};
  CHECK(page == expected);
}

}  // namespace
}  // namespace packfs::house
