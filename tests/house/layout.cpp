#include "house/layout.h"

#include <charconv>

namespace packfs::house {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The cells of a table row "| a | b |".
std::vector<std::string_view> cells_of(std::string_view row) {
  std::vector<std::string_view> cells;
  row.remove_prefix(1);
  while (!row.empty()) {
    const std::size_t end = row.find('|');
    if (end == std::string_view::npos) break;
    cells.push_back(trimmed(row.substr(0, end)));
    row.remove_prefix(end + 1);
  }
  return cells;
}

bool read_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Field field_of(std::string_view row) {
  const auto cells = cells_of(row);
  Field field;
  if (cells.size() < 4 || !read_number(cells[0], field.offset) || !read_number(cells[1], field.size)) return {};
  field.name = cells[2];
  field.type = cells[3];
  return field;
}

/// "<!-- layout: Name size -->": the name, and the size into `layout`; empty for any other line.
std::string_view read_marker(std::string_view line, Layout& layout) {
  constexpr std::string_view kBegin = "<!-- layout: ";
  constexpr std::string_view kEnd = " -->";
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) return {};
  line = line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !read_number(line.substr(space + 1), layout.size)) return {};
  return line.substr(0, space);
}

std::string text_of(const Field& field) {
  return std::to_string(field.offset) + " " + std::to_string(field.size) + " " + field.name + " " + field.type;
}

void compare(const std::string& name, const Layout& page, const Layout& code, Problems& problems) {
  const std::string where = name + ": ";
  if (page.size != code.size) {
    problems.push_back(where + "has " + std::to_string(code.size) + " bytes, the page says " +
                       std::to_string(page.size));
  }
  for (std::size_t i = 0; i < std::max(page.fields.size(), code.fields.size()); ++i) {
    const std::string in_page = i < page.fields.size() ? text_of(page.fields[i]) : "nothing";
    const std::string in_code = i < code.fields.size() ? text_of(code.fields[i]) : "nothing";
    if (in_page != in_code) problems.push_back(where + "the code has " + in_code + ", the page says " + in_page);
  }
  std::uint64_t end = 0;
  for (const Field& field : code.fields) {
    if (field.offset != end) problems.push_back(where + "a gap or an overlap before " + field.name);
    end = field.offset + field.size;
  }
  if (end != code.size) problems.push_back(where + "its fields end at " + std::to_string(end));
}

}  // namespace

Layouts layouts_of_page(std::string_view page) {
  Layouts layouts;
  Layout* open = nullptr;
  int table_lines = 0;
  for (const std::string_view line : lines_of(page)) {
    Layout fresh;
    const std::string_view name = read_marker(line, fresh);
    if (!name.empty()) {
      open = &(layouts[std::string(name)] = fresh);
      table_lines = 0;
    } else if (!line.starts_with('|')) {
      open = nullptr;
    } else if (open != nullptr && ++table_lines > 2) {  // the first two are the heading and its rule
      open->fields.push_back(field_of(line));
    }
  }
  return layouts;
}

std::vector<std::string> structures_of_headers(const Checkout& checkout) {
  constexpr std::string_view kKey = "struct ";
  std::vector<std::string> names;
  for (const char* path : {"src/log/format.h", "src/content/format.h", "src/pack/format.h"}) {
    const auto found = checkout.find(path);
    if (found == checkout.end()) continue;
    for (const std::string_view line : lines_of(found->second)) {
      if (line.starts_with(kKey) && line.ends_with(" {")) {
        names.emplace_back(line.substr(kKey.size(), line.size() - kKey.size() - 2));
      }
    }
  }
  return names;
}

Problems layout_problems(const Layouts& page, const Layouts& code) {
  Problems problems;
  for (const auto& [name, layout] : code) {
    const auto found = page.find(name);
    if (found == page.end()) {
      problems.push_back(name + ": is not on the page");
    } else {
      compare(name, found->second, layout, problems);
    }
  }
  for (const auto& [name, layout] : page) {
    if (!code.contains(name)) problems.push_back(name + ": is not in the code");
  }
  return problems;
}

}  // namespace packfs::house
