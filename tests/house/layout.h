#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "house/checkout.h"

namespace packfs::house {

/// One row of a layout table: a field of an on-disk structure.
struct Field {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string name;
  std::string type;  ///< u8, u16, u24, u32, u64 or bytes; else whatever the page says
  friend bool operator==(const Field&, const Field&) = default;
};

/// An on-disk structure: its size and its fields in order.
struct Layout {
  std::uint64_t size = 0;
  std::vector<Field> fields;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Structure name to layout.
using Layouts = std::map<std::string, Layout, std::less<>>;

/// The tables of a page that follow a line `<!-- layout: Name size -->`. A row that cannot be read counts as a field
/// with an empty name.
[[nodiscard]] Layouts layouts_of_page(std::string_view page);

/// The layouts that the compiler gave the structures of log/format.h, content/format.h and pack/format.h.
[[nodiscard]] Layouts layouts_of_code();

/// The structures that these headers define, read from their text: what layouts_of_code() must not leave out.
[[nodiscard]] std::vector<std::string> structures_of_headers(const Checkout& checkout);

/// Every difference between the two, in either direction; and fields that leave a gap or overlap.
[[nodiscard]] Problems layout_problems(const Layouts& page, const Layouts& code);

}  // namespace packfs::house
